#include <cstddef>
#include <cstdint>
#include <cstdlib>

#include "resolver/package/zip_archive.h"

// Reads any bytes as a package: entries must stay inside the archive, and must open or be rejected.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using stagedoor::AssetVersion;
  using stagedoor::InMemoryAsset;
  using stagedoor::RequestContext;
  using stagedoor::ZipArchive;
  using stagedoor::ZipEntry;
  RequestContext context;
  const auto asset = InMemoryAsset::FromString(
      "/fuzz.usdz", AssetVersion("1"), std::string(reinterpret_cast<const char*>(data), size));
  const auto archive = ZipArchive::Read(context, *asset);
  if (!archive.ok()) return 0;
  for (const ZipEntry& entry : archive->entries()) {
    if (entry.data_offset + entry.size > size) abort();
    if (archive->Find(entry.name) == nullptr) abort();
    const auto opened = OpenEntry(asset, entry, entry.name);
    if (!opened.ok()) continue;
    const auto mapping = (*opened)->GetBuffer();
    if (!mapping.has_value() || mapping->bytes.size() != entry.size) abort();
    unsigned sum = 0;
    for (const std::byte b : mapping->bytes) sum += static_cast<unsigned>(b);
    if (sum == 0xFFFFFFFFu) abort();
  }
  return 0;
}

#ifndef STAGEDOOR_RESOLVER_PACKAGE_ZIP_WRITER_H_
#define STAGEDOOR_RESOLVER_PACKAGE_ZIP_WRITER_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_set>

#include "absl/status/status.h"

namespace stagedoor {

// Writes a usdz package (Core Specification 16.4, Package): uncompressed files, each aligned to 64
// bytes, then the central directory. Corresponds to OpenUSD's SdfZipFileWriter (formerly
// UsdZipFileWriter). The same files give the same bytes (times are fixed). The first file added is
// the root layer. Not thread-safe. A writer must not be used after Add or its sink failed.
class ZipWriter {
 public:
  // Receives the next bytes of the archive.
  using Sink = std::function<absl::Status(std::string_view)>;

  explicit ZipWriter(Sink sink) : sink_(std::move(sink)) {}

  // INVALID_ARGUMENT for names that are empty or absolute, that contain ".", ".." or empty
  // components, '\', control characters or invalid UTF-8, or that were added before.
  // RESOURCE_EXHAUSTED if the 32 bits of the format do not suffice. Otherwise the errors of the
  // sink.
  absl::Status Add(std::string_view name, std::span<const std::byte> content);
  absl::Status Add(std::string_view name, std::string_view content) {
    return Add(name, std::as_bytes(std::span(content.data(), content.size())));
  }

  // Begins a file whose content, with the given size and CRC (zlib's crc32), is not in
  // memory: pass it to Append in pieces.
  absl::Status Begin(std::string_view name, uint64_t size, uint32_t crc32);
  absl::Status Append(std::string_view content) { return Emit(content); }

  // Writes the central directory. Must be called once, last. INVALID_ARGUMENT if nothing was added.
  absl::Status Finish();

 private:
  absl::Status CheckName(std::string_view name) const;
  absl::Status Emit(std::string_view bytes);

  const Sink sink_;
  uint64_t offset_ = 0;
  std::string directory_;
  std::unordered_set<std::string> names_;
};

}  // namespace stagedoor

#endif  // STAGEDOOR_RESOLVER_PACKAGE_ZIP_WRITER_H_

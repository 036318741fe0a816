#ifndef STAGEDOOR_RESOLVER_PACKAGE_ZIP_ARCHIVE_H_
#define STAGEDOOR_RESOLVER_PACKAGE_ZIP_ARCHIVE_H_

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "absl/status/statusor.h"
#include "base/request_context.h"
#include "resolver/asset.h"

namespace stagedoor {

// One file in an archive, as its local header says.
struct ZipEntry {
  std::string name;
  uint64_t header_offset = 0;
  uint64_t data_offset = 0;  // size bytes from here on are inside of the archive
  uint32_t size = 0;         // as stored
  uint32_t crc32 = 0;
  bool compressed = false;
  bool encrypted = false;

  // Packages align data to 64 bytes, so that mapped arrays are aligned too.
  bool aligned() const { return data_offset % 64 == 0; }
};

// The files of a usdz package (a ZIP archive without compression).
//
// As OpenUSD does, the archive is read front to back by its local headers, so a package whose end
// is missing still gives the files before it. The central directory is checked against them:
// whatever the Core Specification forbids is listed in `issues`, in a few words each, for
// validators and for those who refuse such packages. Nothing a hostile archive says leads out of
// its bytes.
//
// Immutable, thread-safe. Keeps no reference to the asset.
class ZipArchive {
 public:
  ZipArchive(ZipArchive&&) = default;
  ZipArchive& operator=(ZipArchive&&) = default;

  // INVALID_ARGUMENT, with a short reason, if `asset` has no first file or has too many.
  static absl::StatusOr<ZipArchive> Read(RequestContext& context, const Asset& asset);

  // In the order of the archive; never empty. The first one is a package's root layer.
  const std::vector<ZipEntry>& entries() const { return entries_; }
  const std::vector<std::string>& issues() const { return issues_; }

  // Null if there is no such file. Of several with the same name, the first.
  const ZipEntry* Find(std::string_view name) const;

  // OK, or INVALID_ARGUMENT with the first issue.
  absl::Status CheckConforms() const;

  size_t memory_bytes() const;

 private:
  ZipArchive() = default;

  std::vector<ZipEntry> entries_;
  std::unordered_map<std::string_view, size_t> index_;  // views into entries_
  std::vector<std::string> issues_;
};

// A view of one entry of `archive`, an asset named `name`, that keeps `archive` open.
// INVALID_ARGUMENT if the entry is compressed or encrypted.
absl::StatusOr<std::shared_ptr<const Asset>> OpenEntry(std::shared_ptr<const Asset> archive,
                                                       const ZipEntry& entry, std::string name);

}  // namespace stagedoor

#endif  // STAGEDOOR_RESOLVER_PACKAGE_ZIP_ARCHIVE_H_

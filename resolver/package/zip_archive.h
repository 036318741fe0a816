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

// One file in an archive, as described by its local header.
struct ZipEntry {
  std::string name;
  uint64_t header_offset = 0;
  uint64_t data_offset = 0;  // `size` bytes from here on are inside the archive
  uint32_t size = 0;         // as stored
  uint32_t crc32 = 0;
  bool compressed = false;
  bool encrypted = false;

  // Packages align the data of files to 64 bytes, so that mapped arrays are aligned too. The rule
  // is that of OpenUSD; Core Specification 16.4.1.3, Data Layout, states it for the headers.
  bool aligned() const { return data_offset % 64 == 0; }
};

// The files of a usdz package, a ZIP archive without compression (Core Specification 16.4,
// Package). Corresponds to OpenUSD's SdfZipFile (formerly UsdZipFile).
//
// As in OpenUSD, the archive is read from front to back by its local headers, so a package whose
// end is missing still yields the files before it. The central directory is checked against them.
// The first violation of the Core Specification is kept for callers that reject such packages. A
// malicious archive cannot cause reads outside its bytes.
//
// Immutable and thread-safe. Keeps no reference to the asset.
class ZipArchive {
 public:
  ZipArchive(ZipArchive&&) = default;
  ZipArchive& operator=(ZipArchive&&) = default;

  // INVALID_ARGUMENT, with a short reason, if `asset` does not begin with a file or has too many
  // files.
  static absl::StatusOr<ZipArchive> Read(RequestContext& context, const Asset& asset);

  // In the order of the archive; never empty. The first entry is the package's root layer.
  const std::vector<ZipEntry>& entries() const { return entries_; }

  // Null if no file has this name. If several do, returns the first.
  const ZipEntry* Find(std::string_view name) const;

  // OK, or INVALID_ARGUMENT with the first violation, in a few words.
  absl::Status CheckConformance() const;

  size_t memory_bytes() const;

 private:
  ZipArchive() = default;

  std::vector<ZipEntry> entries_;
  std::unordered_map<std::string_view, size_t> index_;  // views into entries_
  std::string issue_;                                   // empty if there is none
};

// Returns an asset with the name `name` that views one entry of `archive` and keeps `archive` open.
// INVALID_ARGUMENT if the entry is compressed or encrypted.
absl::StatusOr<std::shared_ptr<const Asset>> OpenEntry(std::shared_ptr<const Asset> archive,
                                                       const ZipEntry& entry, std::string name);

}  // namespace stagedoor

#endif  // STAGEDOOR_RESOLVER_PACKAGE_ZIP_ARCHIVE_H_

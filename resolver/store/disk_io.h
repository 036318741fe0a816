#ifndef STAGEDOOR_RESOLVER_STORE_DISK_IO_H_
#define STAGEDOOR_RESOLVER_STORE_DISK_IO_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace stagedoor {

// Whole reads and writes of files of the disk cache, which continue after signals and partial
// results.

// The error of a failed system call: RESOURCE_EXHAUSTED if a disk, a quota or a table is full,
// NOT_FOUND, PERMISSION_DENIED, or else UNAVAILABLE. `what` is what was tried: "write FILE".
absl::Status DiskError(int error, std::string_view what);
// Whether it is a disk or a quota that is full.
bool IsDiskFull(const absl::Status& status);

// Reads up to the size of `out`; returns the number of bytes, which is less at the end of the file.
absl::StatusOr<size_t> ReadAt(int fd, uint64_t offset, std::span<std::byte> out);
absl::Status WriteAt(int fd, uint64_t offset, std::span<const std::byte> bytes);

// The content of a small file. RESOURCE_EXHAUSTED above `max_bytes`.
absl::StatusOr<std::string> ReadSmallFile(const std::string& path, size_t max_bytes);
// Creates or replaces a file: readers see either the old or the new content.
absl::Status ReplaceFile(const std::string& path, std::string_view content);

}  // namespace stagedoor

#endif  // STAGEDOOR_RESOLVER_STORE_DISK_IO_H_

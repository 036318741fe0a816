#ifndef STAGEDOOR_RESOLVER_FILE_FILE_VERSION_H_
#define STAGEDOOR_RESOLVER_FILE_FILE_VERSION_H_

#include <sys/stat.h>

#include <cstdint>

#include "absl/status/status.h"
#include "resolver/asset.h"

namespace stagedoor {

// The version of a file. Its content part is the size and the modification time in nanoseconds, its
// local part the device, the inode and the time of the inode's last change. A restored modification
// time does not hide a change, because the time of the inode cannot be set.
// `faults` is ReadFaults::Count.
AssetVersion VersionFromStat(const struct stat& info, uint64_t faults = 0);

// Whether the two have the same version.
bool SameVersion(const struct stat& a, const struct stat& b);

// Whether the content may differ: the size or the modification time does.
bool ContentMayDiffer(const struct stat& a, const struct stat& b);

// Calls fstat at a moment after which any write makes another version. Waits for a write in
// progress, where the file system allows that, and until the kernel's clock for file times, which
// ticks every few milliseconds, has passed the last change. Waits only a few ticks for a writer
// that never pauses. Returns false, with errno set, on failure.
bool StatWhenStable(int fd, struct stat* info);

}  // namespace stagedoor

#endif  // STAGEDOOR_RESOLVER_FILE_FILE_VERSION_H_

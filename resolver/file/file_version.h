#ifndef STAGEDOOR_RESOLVER_FILE_FILE_VERSION_H_
#define STAGEDOOR_RESOLVER_FILE_FILE_VERSION_H_

#include <sys/stat.h>

#include "absl/status/status.h"
#include "resolver/asset.h"

namespace stagedoor {

// What tells versions of a file apart: device, inode, size, and the times of the last change of
// its content and of its inode, in nanoseconds. A restored modification time does not hide a
// change: nobody can set the inode's.
AssetVersion VersionOf(const struct stat& info);

// Whether the two have the same version.
bool SameVersion(const struct stat& a, const struct stat& b);

// Whether the content may be another: size or modification time are.
bool OtherContent(const struct stat& a, const struct stat& b);

// fstat, at a moment from which on any write makes another version: waits for a write that is under
// way where the file system lets us, and until the kernel's clock for file times, which ticks every
// few milliseconds, has gone past the last change. A writer that never pauses is not waited for
// longer than some ticks. False with errno set if it fails.
bool StatAtRest(int fd, struct stat* info);

}  // namespace stagedoor

#endif  // STAGEDOOR_RESOLVER_FILE_FILE_VERSION_H_

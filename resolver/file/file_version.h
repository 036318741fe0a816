#ifndef STAGEDOOR_RESOLVER_FILE_FILE_VERSION_H_
#define STAGEDOOR_RESOLVER_FILE_FILE_VERSION_H_

#include <sys/stat.h>

#include <cstdint>

namespace stagedoor {

// In nanoseconds: when the content was last written, which can be set, and when the inode last
// changed, which cannot.
int64_t ModificationTime(const struct stat& info);
int64_t InodeTime(const struct stat& info);

// Whether the content may differ: the size or the modification time does.
bool ContentMayDiffer(const struct stat& a, const struct stat& b);

// Whether neither the size nor the times differ, at two moments of one open file.
bool SameTimes(const struct stat& a, const struct stat& b);

// Whether any later write makes other times: the clock that the file system uses has passed the
// last change. It ticks every few milliseconds, or once a second if the times are whole seconds.
bool IsSettled(const struct stat& info);

// Calls fstat at a moment after which any write makes another version. Waits for a write in
// progress, where the file system allows that, and until the kernel's clock for file times, which
// ticks every few milliseconds, has passed the last change. Waits only a few ticks for a writer
// that never pauses. Returns false, with errno set, on failure.
bool StatWhenStable(int fd, struct stat* info);

}  // namespace stagedoor

#endif  // STAGEDOOR_RESOLVER_FILE_FILE_VERSION_H_

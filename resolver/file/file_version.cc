#include "resolver/file/file_version.h"

#include <time.h>
#include <unistd.h>

#include <cstdint>
#include <string>

#include "base/status.h"

namespace stagedoor {
namespace {

constexpr int kMaxTicks = 8;

int64_t Nanoseconds(const struct timespec& time) {
  return int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec;
}

// How long from now the kernel's clock may still show the time of the file's last change; 0 if it
// has passed. Times well ahead of the clock come from another machine, so waiting would not help.
int64_t LeftOfTick(const struct stat& info) {
  struct timespec now, tick;
  clock_gettime(CLOCK_REALTIME_COARSE, &now);
  clock_getres(CLOCK_REALTIME_COARSE, &tick);
  const int64_t left = Nanoseconds(info.st_ctim) - Nanoseconds(now);
  return left < 0 || left > 2 * Nanoseconds(tick) ? 0 : Nanoseconds(tick);
}

}  // namespace

AssetVersion VersionFromStat(const struct stat& info, uint64_t faults) {
  std::string local = Concat(info.st_dev, ":", info.st_ino, ":", Nanoseconds(info.st_ctim));
  if (faults > 0) local = Concat(local, ":", faults);
  return {Concat("file:", info.st_size, ":", Nanoseconds(info.st_mtim)), local};
}

bool ContentMayDiffer(const struct stat& a, const struct stat& b) {
  return a.st_size != b.st_size || Nanoseconds(a.st_mtim) != Nanoseconds(b.st_mtim);
}

bool SameVersion(const struct stat& a, const struct stat& b) {
  return a.st_dev == b.st_dev && a.st_ino == b.st_ino && !ContentMayDiffer(a, b) &&
         Nanoseconds(a.st_ctim) == Nanoseconds(b.st_ctim);
}

bool StatWhenStable(int fd, struct stat* info) {
  for (int tick = 0;; ++tick) {
    // A write sets the time when it begins. On file systems with such a lock, looking for holes
    // takes the lock that a write in progress holds; the result does not matter.
    (void)lseek(fd, 0, SEEK_HOLE);
    if (fstat(fd, info) != 0) return false;
    const int64_t left = LeftOfTick(*info);
    if (left == 0 || tick == kMaxTicks) return true;
    const struct timespec pause = {0, static_cast<long>(left)};
    nanosleep(&pause, nullptr);
  }
}

}  // namespace stagedoor

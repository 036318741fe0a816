#include "resolver/file/file_version.h"

#include <time.h>
#include <unistd.h>

#include <cstdint>

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

int64_t ModificationTime(const struct stat& info) { return Nanoseconds(info.st_mtim); }

int64_t InodeTime(const struct stat& info) { return Nanoseconds(info.st_ctim); }

bool ContentMayDiffer(const struct stat& a, const struct stat& b) {
  return a.st_size != b.st_size || ModificationTime(a) != ModificationTime(b);
}

bool SameTimes(const struct stat& a, const struct stat& b) {
  return !ContentMayDiffer(a, b) && InodeTime(a) == InodeTime(b);
}

bool IsSettled(const struct stat& info) {
  if (LeftOfTick(info) > 0) return false;
  if (info.st_ctim.tv_nsec != 0) return true;
  // Perhaps the times are whole seconds, of a clock that need not be ours.
  struct timespec now;
  clock_gettime(CLOCK_REALTIME_COARSE, &now);
  constexpr int64_t kSeconds = 3;
  const int64_t age = now.tv_sec - info.st_ctim.tv_sec;
  return age >= kSeconds || age < -kSeconds;
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

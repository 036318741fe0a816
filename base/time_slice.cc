#include "base/time_slice.h"

#include <sched.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <optional>

namespace stagedoor {
namespace {

// The kernel's struct sched_attr in its first version of 48 bytes. Not every C library declares it,
// and none wraps the system calls.
struct Attributes {
  uint32_t size = sizeof(Attributes);
  uint32_t policy = 0;
  uint64_t flags = 0;
  int32_t nice = 0;
  uint32_t priority = 0;
  uint64_t runtime = 0;  // for a normal policy, the slice in nanoseconds
  uint64_t deadline = 0;
  uint64_t period = 0;
};
static_assert(sizeof(Attributes) == 48);

// The attributes of a thread with a normal policy. Nothing for other policies, and where the kernel
// reports no slice, as before 6.12.
std::optional<Attributes> UsualAttributes(pid_t thread) {
  Attributes attributes;
  if (::syscall(SYS_sched_getattr, thread, &attributes, sizeof(attributes), 0) != 0) return {};
  const bool usual = attributes.policy == SCHED_OTHER || attributes.policy == SCHED_BATCH;
  if (!usual || attributes.runtime == 0) return {};
  return attributes;
}

}  // namespace

bool SetTimeSlice(std::chrono::nanoseconds slice, pid_t thread) {
  std::optional<Attributes> attributes = UsualAttributes(thread);
  if (!attributes) return false;
  attributes->runtime = static_cast<uint64_t>(std::max<int64_t>(slice.count(), 0));
  return ::syscall(SYS_sched_setattr, thread, &*attributes, 0) == 0;
}

std::chrono::nanoseconds GetTimeSlice(pid_t thread) {
  const std::optional<Attributes> attributes = UsualAttributes(thread);
  return std::chrono::nanoseconds(attributes ? attributes->runtime : 0);
}

void SetBackgroundPriority(Background background, pid_t thread) {
  SetTimeSlice(std::chrono::nanoseconds(0), thread);
  const auto id = static_cast<id_t>(thread != 0 ? thread : ::syscall(SYS_gettid));
  const int nice = ::getpriority(PRIO_PROCESS, id) + static_cast<int>(background);
  ::setpriority(PRIO_PROCESS, id, std::min(nice, 19));
}

}  // namespace stagedoor

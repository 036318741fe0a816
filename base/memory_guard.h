#ifndef STAGEDOOR_BASE_MEMORY_GUARD_H_
#define STAGEDOOR_BASE_MEMORY_GUARD_H_

#include <cstddef>
#include <cstdint>
#include <utility>

namespace stagedoor {

// A last resort against running out of memory. Code that knows the size of what it allocates
// reserves it beforehand (RequestContext::Reserve). Where such a reservation is missing, the system
// would kill the process, or gRPC would abort it when one of its own allocations fails. So in a
// process that links //base:guarded_new and sets a limit, allocations fail earlier, and only in the
// work of requests: `operator new` throws std::bad_alloc, which ends the request.
//
// The measure is memory in use that is not backed by files (anonymous resident pages), read once
// per MiB that a thread has allocated; mapped files do not count. Thread-safe.

// From now on, work of requests may allocate until the process has `bytes` in use; 0 means no
// limit. Small work, which has allocated less than a MiB itself, may exceed the limit by `reserve`
// bytes: a small request is not refused because others are large. The system's own limits
// (RLIMIT_DATA, RLIMIT_AS) would not serve: they also count memory that was freed and returned, and
// they end gRPC, which does not survive a failed allocation.
void SetMemoryLimit(uint64_t bytes, uint64_t reserve = 0);

// The memory that the process has in use now, as SetMemoryLimit measures it, in bytes.
uint64_t MemoryInUse();

// Throws std::bad_alloc if there is no room for `bytes` that other code is about to allocate with
// malloc on behalf of a request.
void CheckMemoryAvailable(size_t bytes);

// Marks the work of the calling thread as that of a request, for a scope. Nests. Whether the work
// is small depends on what was allocated since the outermost scope began.
class RequestMemoryScope {
 public:
  RequestMemoryScope() {
    if (depth_++ == 0) begun_at_ = allocated_;
  }
  ~RequestMemoryScope() { --depth_; }
  RequestMemoryScope(const RequestMemoryScope&) = delete;
  RequestMemoryScope& operator=(const RequestMemoryScope&) = delete;

  // Called by operator new before it allocates. If it returns false, the allocation must fail.
  static bool Allow(size_t bytes) {
    if (depth_ == 0) return true;
    allocated_ += bytes;
    return allocated_ - checked_at_ < kStride || CheckLimit(bytes);
  }
  static bool active() { return depth_ != 0; }

 private:
  static constexpr size_t kStride = 1 << 20;
  static bool CheckLimit(size_t bytes);

  friend class RequestMemoryExemption;

  static thread_local int depth_;
  static thread_local size_t allocated_;   // by all work of requests, in bytes
  static thread_local size_t checked_at_;  // `allocated_` at the last check of the limit
  static thread_local size_t begun_at_;    // `allocated_` when the outermost scope began
};

// Within its scope the calling thread works for no request, so that the limit makes no allocation
// fail. For the little that must not fail: to report that memory has run out, and to leave shared
// state consistent.
class RequestMemoryExemption {
 public:
  RequestMemoryExemption() : depth_(std::exchange(RequestMemoryScope::depth_, 0)) {}
  ~RequestMemoryExemption() { RequestMemoryScope::depth_ = depth_; }
  RequestMemoryExemption(const RequestMemoryExemption&) = delete;
  RequestMemoryExemption& operator=(const RequestMemoryExemption&) = delete;

 private:
  const int depth_;
};

}  // namespace stagedoor

#endif  // STAGEDOOR_BASE_MEMORY_GUARD_H_

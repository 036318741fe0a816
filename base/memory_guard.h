#ifndef STAGEDOOR_BASE_MEMORY_GUARD_H_
#define STAGEDOOR_BASE_MEMORY_GUARD_H_

#include <cstddef>
#include <cstdint>

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

// The bytes that the calling thread has allocated for requests.
class RequestAllocations {
 public:
  // Called when the thread begins to work for a request (RequestScope::Guard): whether its work is
  // small depends on what it allocates from now on.
  static void Begin() { begun_at_ = allocated_; }

  // Called by operator new before it allocates for a request. If it returns false, the allocation
  // must fail.
  static bool Allow(size_t bytes) {
    allocated_ += bytes;
    return allocated_ - checked_at_ < kStride || CheckLimit(bytes);
  }

 private:
  static constexpr size_t kStride = 1 << 20;
  static bool CheckLimit(size_t bytes);

  static inline constinit thread_local size_t allocated_ = 0;
  static inline constinit thread_local size_t checked_at_ = 0;  // `allocated_` at the last check
  static inline constinit thread_local size_t begun_at_ = 0;    // `allocated_` at Begin
};

}  // namespace stagedoor

#endif  // STAGEDOOR_BASE_MEMORY_GUARD_H_

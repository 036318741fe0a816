#ifndef STAGEDOOR_BASE_MEMORY_GUARD_H_
#define STAGEDOOR_BASE_MEMORY_GUARD_H_

#include <cstddef>
#include <cstdint>
#include <utility>

namespace stagedoor {

// The last resort against running out of memory. What knows its size reserves it beforehand
// (RequestContext::Reserve); where that was forgotten, the system would kill the process, and gRPC
// ends it when an allocation of its own fails. So a process that links //base:guarded_new and sets
// a limit has allocations fail earlier in the work of requests, and only there: `operator new`
// throws std::bad_alloc, which ends the request.
//
// The measure is memory in use that no file can give back (anonymous resident pages), looked up
// once per MiB that a thread has allocated; mapped files do not count. Thread-safe.

// From now on work of requests may allocate until the process has `bytes` in use; 0: no limit.
// Small work, which has allocated less than a MiB itself, may go `reserve` beyond: who asks for
// little is not refused because others have asked for much. The system's own limits (RLIMIT_DATA,
// RLIMIT_AS) would not do: they count what was freed and given back as well, and end gRPC, which
// does not survive an allocation that fails.
void LimitMemory(uint64_t bytes, uint64_t reserve = 0);

// What the process has in use now, as LimitMemory measures it.
uint64_t MemoryInUse();

// Throws std::bad_alloc if there is no room for `bytes` that someone else is about to allocate on
// behalf of a request, with malloc.
void RequireMemory(size_t bytes);

// Marks what the calling thread does as work of a request, for a scope. Nests; what the outermost
// one allocates decides whether the work is small.
class RequestMemoryScope {
 public:
  RequestMemoryScope() {
    if (depth_++ == 0) begun_at_ = allocated_;
  }
  ~RequestMemoryScope() { --depth_; }
  RequestMemoryScope(const RequestMemoryScope&) = delete;
  RequestMemoryScope& operator=(const RequestMemoryScope&) = delete;

  // Called by operator new before it allocates. False: it must fail.
  static bool Allow(size_t bytes) {
    if (depth_ == 0) return true;
    allocated_ += bytes;
    return allocated_ - asked_at_ < kStride || Ask(bytes);
  }
  static bool active() { return depth_ != 0; }

 private:
  static constexpr size_t kStride = 1 << 20;
  static bool Ask(size_t bytes);

  friend class RequestMemoryPause;

  static thread_local int depth_;
  static thread_local size_t allocated_;  // by all work of requests
  static thread_local size_t asked_at_;   // what was allocated when it asked last
  static thread_local size_t begun_at_;   // what was allocated when the outermost scope began
};

// Within its scope the calling thread works for no request: allocations do not fail for the limit.
// For the little that must not fail: to say that memory has, and to leave shared state right.
class RequestMemoryPause {
 public:
  RequestMemoryPause() : depth_(std::exchange(RequestMemoryScope::depth_, 0)) {}
  ~RequestMemoryPause() { RequestMemoryScope::depth_ = depth_; }
  RequestMemoryPause(const RequestMemoryPause&) = delete;
  RequestMemoryPause& operator=(const RequestMemoryPause&) = delete;

 private:
  const int depth_;
};

}  // namespace stagedoor

#endif  // STAGEDOOR_BASE_MEMORY_GUARD_H_

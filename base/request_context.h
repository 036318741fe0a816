#ifndef STAGEDOOR_BASE_REQUEST_CONTEXT_H_
#define STAGEDOOR_BASE_REQUEST_CONTEXT_H_

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "base/memory_pool.h"
#include "base/mutex.h"
#include "base/request_costs.h"
#include "base/warning.h"

namespace stagedoor {

// The limits of one request. By default there are none.
struct RequestLimits {
  uint64_t max_steps = std::numeric_limits<uint64_t>::max();  // see RequestContext::Spend
  size_t max_bytes = MemoryPool::kNoLimit;                    // reserved at the same time
  // The pool that all requests share. May be null, in which case there is none. Must outlive the
  // context.
  MemoryPool* shared_bytes = nullptr;
};

// The state of one request, passed through every layer of the engine: its deadline, whether it was
// cancelled, its limits and what it has used of them, and the warnings to return beside the result.
// Plays the role of gRPC's ServerContext below the server.
//
// It is also the pool of the memory that the request uses (docs/memory.md): a Reservation in it
// is scratch memory of one step, and bytes that are not released are returned when the context is
// destroyed. A refusal ends the request.
//
// Thread-safe. Passed by reference; must outlive all work done on the request's behalf. A default
// context never expires and has no limits.
//
// Everything that content or a request can multiply is counted: loops through a Pacer, memory
// through Reserve. Once a limit is exceeded, or Fail was called, the request is over: Check()
// returns the error from then on, and results computed afterwards are meaningless. Functions that
// return no status may therefore return early with any value; before such a result is kept for
// other requests, failed() must be false.
class RequestContext final : public MemoryPool {
 public:
  using Clock = std::chrono::steady_clock;

  RequestContext() : RequestContext(Clock::time_point::max()) {}
  explicit RequestContext(Clock::time_point deadline, RequestLimits limits = {})
      : MemoryPool("call", limits.max_bytes, limits.shared_bytes),
        deadline_(deadline),
        max_steps_(limits.max_steps) {}

  Clock::time_point deadline() const { return deadline_; }
  bool has_deadline() const { return deadline_ != Clock::time_point::max(); }

  // Called by the server, on any thread, when the client cancels or disconnects.
  void Cancel() { cancelled_.store(true, std::memory_order_relaxed); }
  bool cancelled() const { return cancelled_.load(std::memory_order_relaxed); }

  // OK while the request is alive and within its limits; otherwise CANCELLED, DEADLINE_EXCEEDED, or
  // the first status passed to Fail.
  absl::Status Check() const;

  // Ends the request with `status`. Only the first error counts, and OK has no effect. For
  // functions that return no status.
  void Fail(absl::Status status);

  // Whether any work was stopped: by Fail, or by a Spend or Reserve that did not return OK.
  bool failed() const { return failed_.load(std::memory_order_acquire); }

  // Counts `steps` of work, then checks. A step takes a fraction of a microsecond. Loops use a
  // Pacer, which calls this only every so many steps. RESOURCE_EXHAUSTED above max_steps. AddSteps
  // counts without a check.
  absl::Status Spend(uint64_t steps);
  void AddSteps(uint64_t steps) { steps_.fetch_add(steps, std::memory_order_relaxed); }
  uint64_t steps() const { return steps_.load(std::memory_order_relaxed); }

  // The memory that the request has reserved.
  size_t reserved_bytes() const { return used(); }

  // Keeps an object that is no longer needed until the request was answered (TakeDeferred):
  // freeing half a stage takes longer than a client should wait for the error.
  void DeferDestruction(std::shared_ptr<const void> made);
  std::vector<std::shared_ptr<const void>> TakeDeferred();

  // The fetches of the engine for the request.
  RequestCosts& costs() { return costs_; }

  // Keeps the first kMaxWarnings distinct warnings.
  void Warn(Warning warning);
  std::vector<Warning> warnings() const;
  size_t warning_count() const { return warning_count_.load(std::memory_order_relaxed); }

  static constexpr size_t kMaxWarnings = 64;

 private:
  absl::Status Refuse(const Refusal& refusal) override;

  const Clock::time_point deadline_;
  const uint64_t max_steps_;
  std::atomic<bool> cancelled_{false};
  std::atomic<bool> failed_{false};
  std::atomic<size_t> warning_count_{0};
  std::atomic<uint64_t> steps_{0};
  RequestCosts costs_;

  mutable Mutex mu_;
  absl::Status failure_ ABSL_GUARDED_BY(mu_);
  std::vector<Warning> warnings_ ABSL_GUARDED_BY(mu_);
  std::vector<std::shared_ptr<const void>> discarded_ ABSL_GUARDED_BY(mu_);
};

}  // namespace stagedoor

#endif  // STAGEDOOR_BASE_REQUEST_CONTEXT_H_

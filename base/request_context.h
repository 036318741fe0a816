#ifndef STAGEDOOR_BASE_REQUEST_CONTEXT_H_
#define STAGEDOOR_BASE_REQUEST_CONTEXT_H_

#include <array>
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
#include "base/mutex.h"

namespace stagedoor {

class ByteBudget;

inline constexpr size_t kSmallRequestBytes = size_t{256} << 10;

// What one request may use. The defaults set no bound.
struct RequestLimits {
  uint64_t max_steps = std::numeric_limits<uint64_t>::max();  // see RequestContext::Spend
  size_t max_bytes = std::numeric_limits<size_t>::max();      // reserved at the same time
  // For all requests together; outlives the context. A request that reserves more than
  // kSmallRequestBytes leaves a sixteenth of it to those that do not.
  ByteBudget* shared_bytes = nullptr;
};

// What a request cost; counted where the work is done, read when the reply is filled.
enum class Counter {
  kAssetOpens,      // assets opened by a resolver backend
  kBytesRead,       // bytes read or mapped from assets
  kLayerOpens,      // layers parsed
  kClipOpens,       // clip layers parsed
  kCacheHits,       // look-ups answered by any shared cache
  kCacheMisses,     // look-ups that loaded, or waited for a load
  kIndexesBuilt,    // prim indexes composed
  kValuesResolved,  // attribute values resolved
  kCount,
};

// The snake_case name of a counter, as shown in statistics.
std::string_view CounterName(Counter counter);

// What travels with one request through every layer: its deadline, whether its client still wants
// the answer, what it may use and has used, and what to tell the client beside the result.
//
// Thread-safe. Passed by reference; outlives everything done on the request's behalf. A default
// context never expires and has no bounds.
//
// Whatever content or a request can multiply is counted: loops through a Pacer, memory through
// Reserve. Once a bound is reached, or Fail was called, the request is over: Check() says so from
// then on, and whatever was computed afterwards is worthless. That lets functions without a status
// return early with anything; before such a result is kept for others, failed() must be false.
class RequestContext {
 public:
  using Clock = std::chrono::steady_clock;

  RequestContext() = default;
  explicit RequestContext(Clock::time_point deadline, RequestLimits limits = {})
      : deadline_(deadline), limits_(limits) {}
  ~RequestContext();
  RequestContext(const RequestContext&) = delete;
  RequestContext& operator=(const RequestContext&) = delete;

  Clock::time_point deadline() const { return deadline_; }
  bool has_deadline() const { return deadline_ != Clock::time_point::max(); }

  // Called by the server when the client goes away, from any thread.
  void Cancel() { cancelled_.store(true, std::memory_order_relaxed); }
  bool cancelled() const { return cancelled_.load(std::memory_order_relaxed); }

  // OK while the request is wanted and within its bounds. Else CANCELLED, DEADLINE_EXCEEDED or what
  // Fail was told first.
  absl::Status Check() const;

  // Ends the request with `status`; the first one stays. For functions that return no status.
  void Fail(absl::Status status);

  // Whether some work was told to stop: by Fail, or by a Spend or Reserve that was not OK.
  bool failed() const { return failed_.load(std::memory_order_acquire); }

  // Counts `steps` of work and checks. A step is what takes a fraction of a microsecond. Loops use
  // a Pacer, which asks only now and then. RESOURCE_EXHAUSTED above max_steps. AddSteps only
  // counts.
  absl::Status Spend(uint64_t steps);
  void AddSteps(uint64_t steps) { steps_.fetch_add(steps, std::memory_order_relaxed); }
  uint64_t steps() const { return steps_.load(std::memory_order_relaxed); }

  // Takes `bytes` for `what` (a noun phrase for the message), before they are allocated; what is
  // not released is given back with the context. RESOURCE_EXHAUSTED, which also ends the request,
  // above max_bytes or where all requests together have no more.
  absl::Status Reserve(size_t bytes, std::string_view what);
  void Release(size_t bytes);
  size_t reserved_bytes() const { return reserved_.load(std::memory_order_relaxed); }

  void Add(Counter counter, int64_t amount = 1) {
    counters_[static_cast<size_t>(counter)].fetch_add(amount, std::memory_order_relaxed);
  }
  int64_t count(Counter counter) const {
    return counters_[static_cast<size_t>(counter)].load(std::memory_order_relaxed);
  }

  // Takes what was made in vain, to be freed once the request was answered (TakeDiscarded): freeing
  // half a stage takes longer than a client should wait to hear that there is none.
  void Discard(std::shared_ptr<const void> made);
  std::vector<std::shared_ptr<const void>> TakeDiscarded();

  // Keeps the first kMaxWarnings distinct warnings; later ones are only counted.
  void Warn(std::string warning);
  std::vector<std::string> warnings() const;
  size_t dropped_warnings() const;

  static constexpr size_t kMaxWarnings = 64;

 private:
  const Clock::time_point deadline_ = Clock::time_point::max();
  const RequestLimits limits_{};
  std::atomic<bool> cancelled_{false};
  std::atomic<bool> failed_{false};
  std::atomic<uint64_t> steps_{0};
  std::atomic<size_t> reserved_{0};
  std::array<std::atomic<int64_t>, static_cast<size_t>(Counter::kCount)> counters_{};

  mutable Mutex mu_;
  absl::Status failure_ ABSL_GUARDED_BY(mu_);
  std::vector<std::string> warnings_ ABSL_GUARDED_BY(mu_);
  size_t dropped_warnings_ ABSL_GUARDED_BY(mu_) = 0;
  std::vector<std::shared_ptr<const void>> discarded_ ABSL_GUARDED_BY(mu_);
};

}  // namespace stagedoor

#endif  // STAGEDOOR_BASE_REQUEST_CONTEXT_H_

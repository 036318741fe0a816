#ifndef STAGEDOOR_SERVER_RPC_CALL_RUNTIME_H_
#define STAGEDOOR_SERVER_RPC_CALL_RUNTIME_H_

#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "base/byte_budget.h"
#include "base/lane_executor.h"
#include "base/mutex.h"
#include "base/request_context.h"
#include "server/call_limits.h"
#include "server/rpc/stall_watch.h"

namespace stagedoor {

// How often one method was called, and what it took. Thread-safe.
struct MethodCounters {
  explicit MethodCounters(std::string_view method) : name(method) {}
  const std::string name;
  std::atomic<int64_t> calls{0};
  std::atomic<int64_t> errors{0};
  std::atomic<int64_t> nanoseconds{0};

  // Ended calls by status code; and by what they took: below each bound, and above all.
  static constexpr size_t kStatusCodes = 17;
  static constexpr std::array<double, 10> kLatencySeconds = {0.0001, 0.0003, 0.001, 0.003, 0.01,
                                                             0.03,   0.1,    0.3,   1,     10};
  std::array<std::atomic<int64_t>, kStatusCodes> by_status{};
  std::array<std::atomic<int64_t>, kLatencySeconds.size() + 1> by_latency{};

  void Ended(absl::StatusCode code, std::chrono::nanoseconds spent);
};

// What every call of the server needs to run: the executor, the bounds on calls in flight, and
// counters. Thread-safe; outlives all calls.
class CallRuntime {
 public:
  // Of `limits` the bytes must be there.
  CallRuntime(LaneExecutor& executor, const CallLimits& limits,
              std::function<StallWatch::Clock::time_point()> now = StallWatch::Clock::now);

  LaneExecutor& executor() { return executor_; }
  StallWatch& stalls() { return stalls_; }
  const StallWatch& stalls() const { return stalls_; }

  // Takes a place among the calls in flight, to be given back with Leave. RESOURCE_EXHAUSTED when
  // all are taken: clients retry after a while, and nothing queues without bound.
  absl::Status Enter();
  void Leave() { calls_.fetch_sub(1, std::memory_order_relaxed); }
  size_t calls_in_flight() const { return calls_.load(std::memory_order_relaxed); }

  // What one call may use.
  RequestLimits RequestBounds() { return {max_steps_, max_bytes_, &bytes_}; }
  // When a call that comes now ends at the latest, of what its client says (max: no deadline).
  RequestContext::Clock::time_point Deadline(RequestContext::Clock::time_point wanted) const;
  // What all calls in flight have reserved.
  const ByteBudget& bytes() const { return bytes_; }

  // Takes the calling thread, one of gRPC's, for light work, unless another of them does such work
  // already; to be given back. Waking a thread takes longer than a small answer. gRPC has at least
  // two threads, so even if the work waits for a disk, one is left for everything else.
  bool TakeThread() { return !here_.test_and_set(std::memory_order_acquire); }
  void GiveThreadBack() { here_.clear(std::memory_order_release); }

  // The counters of a method; made at start-up, valid as long as this object.
  MethodCounters& CountersOf(std::string_view method);
  std::vector<const MethodCounters*> AllCounters() const;

 private:
  LaneExecutor& executor_;
  const size_t max_calls_;
  const uint64_t max_steps_;
  const size_t max_bytes_;
  const std::chrono::seconds max_duration_;
  ByteBudget bytes_;
  StallWatch stalls_;
  std::atomic<size_t> calls_{0};
  std::atomic_flag here_;  // a thread of gRPC runs work

  mutable Mutex mu_;
  std::map<std::string, std::unique_ptr<MethodCounters>, std::less<>> counters_
      ABSL_GUARDED_BY(mu_);
};

}  // namespace stagedoor

#endif  // STAGEDOOR_SERVER_RPC_CALL_RUNTIME_H_

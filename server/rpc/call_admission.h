#ifndef STAGEDOOR_SERVER_RPC_CALL_ADMISSION_H_
#define STAGEDOOR_SERVER_RPC_CALL_ADMISSION_H_

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
#include "server/rpc/stall_watchdog.h"

namespace stagedoor::server {

// Call counts and durations of one method. Thread-safe.
struct MethodCounters {
  explicit MethodCounters(std::string_view method) : name(method) {}
  const std::string name;
  std::atomic<int64_t> calls{0};
  std::atomic<int64_t> errors{0};
  std::atomic<int64_t> nanoseconds{0};

  // Ended calls by status code, and by latency: one bucket up to each bound, and one beyond the
  // last.
  static constexpr size_t kStatusCodes = 17;
  static constexpr std::array<double, 10> kLatencySeconds = {0.0001, 0.0003, 0.001, 0.003, 0.01,
                                                             0.03,   0.1,    0.3,   1,     10};
  std::array<std::atomic<int64_t>, kStatusCodes> by_status{};
  std::array<std::atomic<int64_t>, kLatencySeconds.size() + 1> by_latency{};

  void RecordCall(absl::StatusCode code, std::chrono::nanoseconds spent);
};

// Shared by all calls of the server: the executor, the limits on calls in flight, and counters.
// Thread-safe; outlives all calls.
class CallAdmission {
 public:
  // max_bytes and all_bytes of `limits` must be set.
  CallAdmission(LaneExecutor& executor, const CallLimits& limits,
                std::function<StallWatchdog::Clock::time_point()> now = StallWatchdog::Clock::now);

  LaneExecutor& executor() { return executor_; }
  StallWatchdog& stall_watchdog() { return stall_watchdog_; }
  const StallWatchdog& stall_watchdog() const { return stall_watchdog_; }

  // Admits one more call in flight, to be ended with Release. RESOURCE_EXHAUSTED at the limit:
  // clients retry later instead of queueing without bound.
  absl::Status Admit();
  void Release() { calls_.fetch_sub(1, std::memory_order_relaxed); }
  size_t calls_in_flight() const { return calls_.load(std::memory_order_relaxed); }

  // The limits of one call.
  RequestLimits MakeRequestLimits() { return {max_steps_, max_bytes_, &bytes_}; }
  // The deadline of a call that arrives now and whose client wants `wanted` (max if it has none).
  RequestContext::Clock::time_point Deadline(RequestContext::Clock::time_point wanted) const;
  // The memory that all calls in flight have reserved.
  const ByteBudget& bytes() const { return bytes_; }

  // Acquires the right to run light work on the calling gRPC thread, to be given back with
  // ReleaseInlineSlot. False if another gRPC thread has it. Waking an executor thread takes longer
  // than a small reply. gRPC has at least two threads, so one remains for everything else even if
  // the work waits for a disk.
  bool TryAcquireInlineSlot() { return !here_.test_and_set(std::memory_order_acquire); }
  void ReleaseInlineSlot() { here_.clear(std::memory_order_release); }

  // The counters of a method, created on first use. Valid as long as this object.
  MethodCounters& GetMethodCounters(std::string_view method);
  std::vector<const MethodCounters*> AllCounters() const;

 private:
  LaneExecutor& executor_;
  const size_t max_calls_;
  const uint64_t max_steps_;
  const size_t max_bytes_;
  const std::chrono::seconds max_duration_;
  ByteBudget bytes_;
  StallWatchdog stall_watchdog_;
  std::atomic<size_t> calls_{0};
  std::atomic_flag here_;  // set while a gRPC thread runs work

  mutable Mutex mu_;
  std::map<std::string, std::unique_ptr<MethodCounters>, std::less<>> counters_
      ABSL_GUARDED_BY(mu_);
};

}  // namespace stagedoor::server

#endif  // STAGEDOOR_SERVER_RPC_CALL_ADMISSION_H_

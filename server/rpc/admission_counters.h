#ifndef STAGEDOOR_SERVER_RPC_ADMISSION_COUNTERS_H_
#define STAGEDOOR_SERVER_RPC_ADMISSION_COUNTERS_H_

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "server/access/rpc_group.h"

namespace stagedoor::server {

// Why calls are refused before they run.
enum class Refusal {
  kCalls,          // --max-calls are in flight
  kIdentityCalls,  // the caller's role allows no more calls in flight
  kWaiting,        // too many calls of its client wait
  kWaitingTime,    // it waited too long behind other calls of its client
  kOverload,       // it waited too long although its client had no turn meanwhile
  kBytes,          // its request does not fit into --calls-bytes or --max-call-bytes
  kMemory,         // it cannot be queued because memory is exhausted
};
// As labels of metrics.
inline constexpr std::array<std::string_view, 7> kRefusalNames = {
    "calls", "identity_calls", "waiting", "waiting_time", "overload", "bytes", "memory"};

// What became of the calls that did not run at once. Thread-safe.
class AdmissionCounters {
 public:
  // One bucket of waits up to each bound, and one beyond the last.
  static constexpr std::array<double, 12> kWaitSeconds = {0.00005, 0.0002, 0.001, 0.005, 0.02, 0.05,
                                                          0.1,     0.5,    1,     5,     10,   30};

  void CountRefusal(Refusal why) { Add(refused_[static_cast<size_t>(why)], 1); }
  int64_t refused(Refusal why) const { return Get(refused_[static_cast<size_t>(why)]); }

  void AddWaiting(PriorityClass priority, int64_t change) {
    Add(waiting_[static_cast<size_t>(priority)], change);
  }
  // The calls that wait now.
  int64_t waiting(PriorityClass priority) const {
    return Get(waiting_[static_cast<size_t>(priority)]);
  }

  // A call, or a step of one, got a thread after it had waited for `wait`.
  void CountWait(std::chrono::nanoseconds wait) {
    const double seconds = std::chrono::duration<double>(wait).count();
    const auto bound = std::lower_bound(kWaitSeconds.begin(), kWaitSeconds.end(), seconds);
    Add(by_wait_[static_cast<size_t>(bound - kWaitSeconds.begin())], 1);
    Add(wait_nanoseconds_, wait.count());
  }
  int64_t by_wait(size_t bucket) const { return Get(by_wait_[bucket]); }
  int64_t wait_nanoseconds() const { return Get(wait_nanoseconds_); }

 private:
  using Counter = std::atomic<int64_t>;
  static void Add(Counter& counter, int64_t change) {
    counter.fetch_add(change, std::memory_order_relaxed);
  }
  static int64_t Get(const Counter& counter) { return counter.load(std::memory_order_relaxed); }

  std::array<Counter, kRefusalNames.size()> refused_{};
  std::array<Counter, kPriorityClassNames.size()> waiting_{};
  std::array<Counter, kWaitSeconds.size() + 1> by_wait_{};
  Counter wait_nanoseconds_{0};
};

}  // namespace stagedoor::server

#endif  // STAGEDOOR_SERVER_RPC_ADMISSION_COUNTERS_H_

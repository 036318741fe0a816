#ifndef STAGEDOOR_SERVER_RPC_LATENCY_HISTOGRAM_H_
#define STAGEDOOR_SERVER_RPC_LATENCY_HISTOGRAM_H_

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>

namespace stagedoor::server {

// Counts durations in buckets from 50 microseconds to 30 seconds. Thread-safe.
class LatencyHistogram {
 public:
  // The upper bounds of the buckets, in nanoseconds. There is one more for what is longer.
  static constexpr std::array<int64_t, 18> kBounds = {
      50'000,      100'000,       200'000,       500'000,       1'000'000,      2'000'000,
      5'000'000,   10'000'000,    20'000'000,    50'000'000,    100'000'000,    200'000'000,
      500'000'000, 1'000'000'000, 2'000'000'000, 5'000'000'000, 10'000'000'000, 30'000'000'000};
  static constexpr size_t kBuckets = kBounds.size() + 1;

  void Record(std::chrono::nanoseconds time) {
    const auto bucket = std::lower_bound(kBounds.begin(), kBounds.end(), time.count());
    counts_[static_cast<size_t>(bucket - kBounds.begin())].fetch_add(1, std::memory_order_relaxed);
    nanoseconds_.fetch_add(time.count(), std::memory_order_relaxed);
  }

  int64_t count(size_t bucket) const { return counts_[bucket].load(std::memory_order_relaxed); }
  std::chrono::nanoseconds sum() const {
    return std::chrono::nanoseconds(nanoseconds_.load(std::memory_order_relaxed));
  }

 private:
  std::array<std::atomic<int64_t>, kBuckets> counts_{};
  std::atomic<int64_t> nanoseconds_{0};
};

}  // namespace stagedoor::server

#endif  // STAGEDOOR_SERVER_RPC_LATENCY_HISTOGRAM_H_

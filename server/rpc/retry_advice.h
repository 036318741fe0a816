#ifndef STAGEDOOR_SERVER_RPC_RETRY_ADVICE_H_
#define STAGEDOOR_SERVER_RPC_RETRY_ADVICE_H_

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>

namespace stagedoor::server {

// After what delay a refused call should be tried again: about as long as calls had to wait for a
// thread lately, and not the same for all, so that the refused do not all return at the same
// moment. Thread-safe.
class RetryAdvice {
 public:
  static constexpr std::chrono::milliseconds kLeast{200};
  static constexpr std::chrono::milliseconds kMost{10000};

  // A call got a thread after it had waited for `wait`. To be called by one thread at a time.
  void Waited(std::chrono::nanoseconds wait) {
    const int64_t before = average_.load(std::memory_order_relaxed);
    average_.store(before + (wait.count() - before) / 16, std::memory_order_relaxed);
  }

  // From one to two times the recent wait, at least kLeast and less than twice kMost.
  std::chrono::milliseconds Next() {
    using std::chrono::milliseconds;
    const std::chrono::nanoseconds average(average_.load(std::memory_order_relaxed));
    const milliseconds base =
        std::clamp(std::chrono::duration_cast<milliseconds>(average), kLeast, kMost);
    return base + base * Spread(advised_.fetch_add(1, std::memory_order_relaxed)) / kParts;
  }

 private:
  static constexpr int64_t kParts = 1 << 16;

  // Multiples of the golden ratio modulo 1 (times kParts), any few of which are evenly spread.
  static int64_t Spread(uint64_t n) {
    return static_cast<int64_t>((n * 0x9E3779B97F4A7C15u) >> 48);
  }

  std::atomic<int64_t> average_{0};  // of the waits in nanoseconds, the recent ones counting most
  std::atomic<uint64_t> advised_{0};
};

}  // namespace stagedoor::server

#endif  // STAGEDOOR_SERVER_RPC_RETRY_ADVICE_H_

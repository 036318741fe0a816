#ifndef STAGEDOOR_BASE_REQUEST_CONTEXT_H_
#define STAGEDOOR_BASE_REQUEST_CONTEXT_H_

#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "base/mutex.h"

namespace stagedoor {

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
// the answer, what it cost, and what to tell the client beside the result.
//
// Thread-safe. Passed by reference; outlives everything done on the request's behalf. A default
// context never expires. Loops that may run long call Check() every few hundred steps.
class RequestContext {
 public:
  using Clock = std::chrono::steady_clock;

  RequestContext() = default;
  explicit RequestContext(Clock::time_point deadline) : deadline_(deadline) {}
  RequestContext(const RequestContext&) = delete;
  RequestContext& operator=(const RequestContext&) = delete;

  Clock::time_point deadline() const { return deadline_; }
  bool has_deadline() const { return deadline_ != Clock::time_point::max(); }

  // Called by the server when the client goes away, from any thread.
  void Cancel() { cancelled_.store(true, std::memory_order_relaxed); }
  bool cancelled() const { return cancelled_.load(std::memory_order_relaxed); }

  // OK while the request is wanted; CANCELLED or DEADLINE_EXCEEDED after.
  absl::Status Check() const;

  void Add(Counter counter, int64_t amount = 1) {
    counters_[static_cast<size_t>(counter)].fetch_add(amount, std::memory_order_relaxed);
  }
  int64_t count(Counter counter) const {
    return counters_[static_cast<size_t>(counter)].load(std::memory_order_relaxed);
  }

  // Keeps the first kMaxWarnings distinct warnings; later ones are only counted.
  void Warn(std::string warning);
  std::vector<std::string> warnings() const;
  size_t dropped_warnings() const;

  static constexpr size_t kMaxWarnings = 64;

 private:
  const Clock::time_point deadline_ = Clock::time_point::max();
  std::atomic<bool> cancelled_{false};
  std::array<std::atomic<int64_t>, static_cast<size_t>(Counter::kCount)> counters_{};

  mutable Mutex mu_;
  std::vector<std::string> warnings_ ABSL_GUARDED_BY(mu_);
  size_t dropped_warnings_ ABSL_GUARDED_BY(mu_) = 0;
};

}  // namespace stagedoor

#endif  // STAGEDOOR_BASE_REQUEST_CONTEXT_H_

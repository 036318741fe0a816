#ifndef STAGEDOOR_BASE_SINGLE_FLIGHT_H_
#define STAGEDOOR_BASE_SINGLE_FLIGHT_H_

#include <algorithm>
#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <thread>
#include <unordered_map>
#include <utility>

#include "absl/status/statusor.h"
#include "base/mutex.h"
#include "base/out_of_memory.h"
#include "base/request_context.h"
#include "base/status.h"

namespace stagedoor {

// One load per key at a time: the first caller loads, those who come meanwhile wait for its result.
//
// Thread-safe. The loader runs on the first caller's thread with no lock held. `Value` is copied to
// every caller (a shared_ptr, usually). Results are not kept; put a cache before it (LruCache has).
template <typename Key, typename Value, typename Hash = std::hash<Key>>
class SingleFlight {
 public:
  using Loader = std::function<absl::StatusOr<Value>()>;

  // The result of `loader`, own or shared. A waiter leaves with CANCELLED or DEADLINE_EXCEEDED when
  // its own context says so; if the loading request was given up for these reasons, a waiter that
  // still has time loads itself. FAILED_PRECONDITION if a loader asks for its own key.
  absl::StatusOr<Value> Do(RequestContext& context, const Key& key, const Loader& loader) {
    for (;;) {
      auto [flight, leads] = Join(key);
      if (leads) return Lead(key, *flight, loader);
      if (flight->leader == std::this_thread::get_id()) {
        return FailedPreconditionError("a load needs its own result");
      }
      absl::StatusOr<Value> result = Wait(context, *flight);
      if (result.ok() || !GivenUp(result.status())) return result;
      if (absl::Status alive = context.Check(); !alive.ok()) return alive;
    }
  }

  // Those who ask from now on do not share a load that is under way.
  void Forget(const Key& key) {
    MutexLock lock(mu_);
    flights_.erase(key);
  }
  void ForgetAll() {
    MutexLock lock(mu_);
    flights_.clear();
  }

 private:
  struct Flight {
    const std::thread::id leader = std::this_thread::get_id();
    Mutex mu;
    CondVar landed;
    std::optional<absl::StatusOr<Value>> result ABSL_GUARDED_BY(mu);
  };

  static constexpr std::chrono::milliseconds kCancelPoll{20};

  static bool GivenUp(const absl::Status& status) {
    return status.code() == absl::StatusCode::kCancelled ||
           status.code() == absl::StatusCode::kDeadlineExceeded;
  }

  std::pair<std::shared_ptr<Flight>, bool> Join(const Key& key) {
    MutexLock lock(mu_);
    std::shared_ptr<Flight>& flight = flights_[key];
    if (flight != nullptr) return {flight, false};
    flight = std::make_shared<Flight>();
    return {flight, true};
  }

  absl::StatusOr<Value> Lead(const Key& key, Flight& flight, const Loader& loader) {
    absl::StatusOr<Value> result = CatchOutOfMemory(loader);
    {
      MutexLock lock(mu_);
      const auto it = flights_.find(key);
      if (it != flights_.end() && it->second.get() == &flight) flights_.erase(it);
    }
    MutexLock lock(flight.mu);
    flight.result = result;
    flight.landed.NotifyAll();
    return result;
  }

  // Cancellation sets a flag and wakes nobody, hence the polling.
  static absl::StatusOr<Value> Wait(RequestContext& context, Flight& flight) {
    MutexLock lock(flight.mu);
    while (!flight.result.has_value()) {
      if (absl::Status alive = context.Check(); !alive.ok()) return alive;
      flight.landed.WaitUntil(
          flight.mu, std::min(context.deadline(), RequestContext::Clock::now() + kCancelPoll));
    }
    return *flight.result;
  }

  Mutex mu_;
  std::unordered_map<Key, std::shared_ptr<Flight>, Hash> flights_ ABSL_GUARDED_BY(mu_);
};

}  // namespace stagedoor

#endif  // STAGEDOOR_BASE_SINGLE_FLIGHT_H_

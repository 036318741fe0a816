#ifndef STAGEDOOR_BASE_SINGLE_FLIGHT_H_
#define STAGEDOOR_BASE_SINGLE_FLIGHT_H_

#include <functional>
#include <memory>
#include <optional>
#include <thread>
#include <unordered_map>
#include <utility>

#include "absl/status/statusor.h"
#include "base/cancellable_wait.h"
#include "base/mutex.h"
#include "base/out_of_memory.h"
#include "base/request_context.h"
#include "base/status.h"

namespace stagedoor {

// Runs one load per key at a time: the first caller loads, and callers that arrive in the meantime
// wait for its result. Corresponds to Go's golang.org/x/sync/singleflight.
//
// Thread-safe. The loader runs on the first caller's thread with no lock held. `Value` is copied to
// every caller (usually a shared_ptr). Results are not kept; put a cache in front of it, as
// LruCache does.
template <typename Key, typename Value, typename Hash = std::hash<Key>>
class SingleFlight {
 public:
  using Loader = std::function<absl::StatusOr<Value>()>;

  // Returns the result of `loader`, or that of another caller's loader for the same key. A waiter
  // returns CANCELLED or DEADLINE_EXCEEDED when its own context ends. If the loading request ends
  // before its load is complete, a waiter that is still alive loads instead. A failed allocation
  // ends the loading request. FAILED_PRECONDITION if a loader asks for its own key.
  absl::StatusOr<Value> Do(RequestContext& context, const Key& key, const Loader& loader) {
    for (;;) {
      auto [flight, leads] = Join(key);
      if (leads) return Lead(context, key, *flight, loader);
      if (flight->leader == std::this_thread::get_id()) {
        return FailedPreconditionError("circular load: the result depends on itself");
      }
      if (std::optional<absl::StatusOr<Value>> result = Wait(context, *flight)) return *result;
      if (absl::Status alive = context.Check(); !alive.ok()) return alive;
    }
  }

  // Callers that ask from now on do not share a load in progress.
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
    bool over ABSL_GUARDED_BY(mu) = false;
    // Nothing if the loading request ended first.
    std::optional<absl::StatusOr<Value>> result ABSL_GUARDED_BY(mu);
  };

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

  absl::StatusOr<Value> Lead(RequestContext& context, const Key& key, Flight& flight,
                             const Loader& loader) {
    absl::StatusOr<Value> result;
    try {
      result = CatchOutOfMemory(loader, [&](const absl::Status& why) { context.Fail(why); });
    } catch (...) {
      Land(key, flight, std::nullopt);
      throw;
    }
    const bool ended = !result.ok() && (context.failed() || GivenUp(result.status()));
    Land(key, flight, ended ? std::nullopt : std::optional(result));
    return result;
  }

  void Land(const Key& key, Flight& flight, std::optional<absl::StatusOr<Value>> result) {
    {
      MutexLock lock(mu_);
      const auto it = flights_.find(key);
      if (it != flights_.end() && it->second.get() == &flight) flights_.erase(it);
    }
    MutexLock lock(flight.mu);
    flight.result = std::move(result);
    flight.over = true;
    flight.landed.NotifyAll();
  }

  // Waits for the result of the flight. Nothing if the loading request ended first.
  static std::optional<absl::StatusOr<Value>> Wait(RequestContext& context, Flight& flight) {
    MutexLock lock(flight.mu);
    while (!flight.over) {
      absl::Status alive = CancellableWait(context, flight.mu, flight.landed);
      if (!alive.ok()) return alive;
    }
    return flight.result;
  }

  Mutex mu_;
  std::unordered_map<Key, std::shared_ptr<Flight>, Hash> flights_ ABSL_GUARDED_BY(mu_);
};

}  // namespace stagedoor

#endif  // STAGEDOOR_BASE_SINGLE_FLIGHT_H_

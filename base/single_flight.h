#ifndef STAGEDOOR_BASE_SINGLE_FLIGHT_H_
#define STAGEDOOR_BASE_SINGLE_FLIGHT_H_

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
#include "base/wanted_wait.h"

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
  // its own context says so; if the loading request ended before it had loaded, a waiter that may
  // go on loads itself. A failed allocation ends the loading request. FAILED_PRECONDITION if a
  // loader asks for its own key.
  absl::StatusOr<Value> Do(RequestContext& context, const Key& key, const Loader& loader) {
    for (;;) {
      auto [flight, leads] = Join(key);
      if (leads) return Lead(context, key, *flight, loader);
      if (flight->leader == std::this_thread::get_id()) {
        return FailedPreconditionError("a load needs its own result");
      }
      if (std::optional<absl::StatusOr<Value>> result = Wait(context, *flight)) return *result;
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
    bool over ABSL_GUARDED_BY(mu) = false;
    // None: the loading request ended first.
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

  // What the flight has given, if it has.
  static std::optional<absl::StatusOr<Value>> Wait(RequestContext& context, Flight& flight) {
    MutexLock lock(flight.mu);
    while (!flight.over) {
      const absl::Status alive = WaitWhileWanted(context, flight.mu, flight.landed);
      if (!alive.ok()) return alive;
    }
    return flight.result;
  }

  Mutex mu_;
  std::unordered_map<Key, std::shared_ptr<Flight>, Hash> flights_ ABSL_GUARDED_BY(mu_);
};

}  // namespace stagedoor

#endif  // STAGEDOOR_BASE_SINGLE_FLIGHT_H_

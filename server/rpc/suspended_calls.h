#ifndef STAGEDOOR_SERVER_RPC_SUSPENDED_CALLS_H_
#define STAGEDOOR_SERVER_RPC_SUSPENDED_CALLS_H_

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <unordered_map>

#include "absl/status/status.h"
#include "base/mutex.h"
#include "base/request_context.h"

namespace stagedoor::server {

class SuspendedCalls;

// A call that waits for an event, such as a change of a stage, and until then occupies neither a
// thread nor a place among the calls in flight. Exactly one of those who may end the wait (the
// event, the client, the deadline, the end of the daemon) does so. Thread-safe.
class Suspension {
 public:
  class Waiter {
   public:
    virtual ~Waiter() = default;
    // Exactly one of these is called, on any thread and without a lock, if Arm has returned true.
    virtual void Resume() = 0;
    virtual void EndSuspended(const absl::Status& status) = 0;
  };

  // Ends the wait. No effect if it has ended.
  void Wake();
  // Ends the call with an error. False, without effect, if the wait has ended; also false before
  // Arm, which will then return false.
  bool End(const absl::Status& status);

  // To be called once the event has been arranged for. False if the wait is over already, or the
  // call is cancelled: it then continues by itself, or ends if ended() is not OK. Otherwise the
  // caller may not touch the call any more.
  bool Arm(const RequestContext& context);
  // To be called instead of Arm if there is nothing to wait for.
  void Drop();
  // After Arm has returned false: the error of End.
  absl::Status ended() const;

 private:
  friend class SuspendedCalls;
  enum class State { kArming, kArmed, kOver };
  Suspension(SuspendedCalls& owner, Waiter& waiter, RequestContext::Clock::time_point deadline)
      : owner_(owner), waiter_(waiter), deadline_(deadline) {}
  // Whether the caller is the one to end the wait.
  bool Take(const absl::Status& status);

  SuspendedCalls& owner_;
  Waiter& waiter_;
  const RequestContext::Clock::time_point deadline_;
  mutable Mutex mu_;
  State state_ ABSL_GUARDED_BY(mu_) = State::kArming;
  bool woken_ ABSL_GUARDED_BY(mu_) = false;  // before Arm
  absl::Status ended_ ABSL_GUARDED_BY(mu_);
};

// The calls that are suspended. Thread-safe; outlives them.
class SuspendedCalls {
 public:
  using Clock = RequestContext::Clock;

  explicit SuspendedCalls(std::function<Clock::time_point()> now = Clock::now)
      : now_(std::move(now)) {}

  // A new suspension of `waiter`, which must live until the wait is over.
  std::shared_ptr<Suspension> Add(Suspension::Waiter& call, Clock::time_point deadline);

  // Ends the calls whose deadlines have passed. To be called periodically.
  void Sweep();
  // Ends all calls, and those that are added from now on, with UNAVAILABLE: the daemon stops.
  void Drain();

  size_t size() const;

 private:
  friend class Suspension;
  void Remove(const Suspension* suspension);

  const std::function<Clock::time_point()> now_;
  mutable Mutex mu_;
  std::unordered_map<const Suspension*, std::weak_ptr<Suspension>> all_ ABSL_GUARDED_BY(mu_);
  bool draining_ ABSL_GUARDED_BY(mu_) = false;
};

}  // namespace stagedoor::server

#endif  // STAGEDOOR_SERVER_RPC_SUSPENDED_CALLS_H_

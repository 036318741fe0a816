#ifndef STAGEDOOR_SERVER_RPC_CALL_QUEUE_H_
#define STAGEDOOR_SERVER_RPC_CALL_QUEUE_H_

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <string_view>

#include "absl/status/status.h"
#include "base/lane_executor.h"
#include "base/mutex.h"
#include "base/request_context.h"
#include "server/rpc/fair_queue.h"
#include "server/rpc/retry_advice.h"

namespace stagedoor::server {

// Where admitted calls wait for a thread of their lane, between gRPC and the LaneExecutor. The
// executor, which knows no clients, is given tokens instead of calls, at most one per thread and
// lane. A thread that gets to a token takes the call whose turn it is then (FairQueue). So the
// order of calls is decided as late as possible, calls that are cancelled leave at once, and the
// parts into which a running request is split wait for a few tokens at most, not for all calls.
//
// Thread-safe. Held by a shared_ptr, which tokens share.
class CallQueue : public std::enable_shared_from_this<CallQueue> {
 public:
  using Clock = std::chrono::steady_clock;
  // Runs a function on a thread of a lane. May throw std::bad_alloc.
  using Schedule = std::function<void(Lane, std::function<void()>)>;

  struct Options {
    FairQueue::Options calls;  // max_overrunning concerns the short lane only
    std::chrono::milliseconds max_wait{30000};
    std::function<Clock::time_point()> now = Clock::now;
  };

  // A call, or the next step of one, that needs a thread. Exactly one of the two methods is called,
  // on any thread and without a lock, unless Remove comes first.
  class Step : public FairQueue::Entry {
   public:
    virtual ~Step() = default;
    // May delete the object.
    virtual void RunStep() = 0;
    // Called instead if the step has waited for longer than max_wait. May delete the object.
    virtual void RefuseStep(const absl::Status& status) = 0;

   private:
    friend class CallQueue;
    Lane lane_ = Lane::kShort;
  };

  CallQueue(Schedule schedule, Options options);

  // Queues `step`, which must be alive until this function returns and until it was run, refused
  // or removed. Otherwise: CANCELLED or another error of `context` if the call has been cancelled
  // (so a step that is added after its cancellation does not wait); RESOURCE_EXHAUSTED with a retry
  // delay if too many calls of its share wait, or if no memory is left.
  absl::Status Add(Step& step, Lane lane, const FairQueue::Place& place,
                   const RequestContext& context);

  // Takes a step out of the queue. False if it does not wait, or no longer.
  bool Remove(Step& step);

  // Refuses the steps that have waited for too long. To be called periodically.
  void Sweep();

  // `status` with the reason BUDGET_EXHAUSTED, the name of the budget that is used up, and a retry
  // delay.
  absl::Status Refusal(const absl::Status& status, std::string_view budget);

  // The steps that wait now.
  size_t waiting(PriorityClass priority) const;
  // The number of clients that have waiting or running calls in a lane.
  size_t shares(Lane lane) const;

 private:
  class Running;
  struct LaneState {
    explicit LaneState(const FairQueue::Options& options) : calls(options) {}
    FairQueue calls;
    size_t tokens = 0;  // that wait in the executor
  };

  LaneState& StateOf(Lane lane) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_) {
    return lane == Lane::kShort ? short_ : long_;
  }
  absl::Status TryAdd(Step& step, Lane lane, const FairQueue::Place& place,
                      const RequestContext& context);
  absl::Status OutOfMemory();
  // The number of tokens that the executor lacks, which the caller then gives it.
  size_t ClaimTokens(LaneState& state) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_);
  // False if memory is exhausted; the remaining tokens are then given later.
  bool GiveTokens(Lane lane, size_t count);
  void RunToken(Lane lane);
  void Finish(Lane lane, FairQueue::Flow& flow);
  FairQueue::Turn Take(LaneState& state) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_);
  void RefuseOverdue(Step& step);

  const Schedule schedule_;
  const Options options_;
  RetryAdvice retry_;

  mutable Mutex mu_;
  LaneState short_ ABSL_GUARDED_BY(mu_);
  LaneState long_ ABSL_GUARDED_BY(mu_);
};

}  // namespace stagedoor::server

#endif  // STAGEDOOR_SERVER_RPC_CALL_QUEUE_H_

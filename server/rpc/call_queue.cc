#include "server/rpc/call_queue.h"

#include <algorithm>
#include <new>
#include <utility>

#include "base/status.h"
#include "server/error_info.h"

namespace stagedoor::server {
namespace {

// Calls of the long lane keep their thread to the end.
FairQueue::Options OfLongLane(FairQueue::Options options) {
  options.max_overrunning = 0;
  return options;
}

}  // namespace

// Finishes the turn of a step that runs, even if it throws.
class CallQueue::Running {
 public:
  Running(CallQueue& queue, Lane lane, FairQueue::Flow& flow)
      : queue_(queue), lane_(lane), flow_(flow) {}
  ~Running() { queue_.Finish(lane_, flow_); }
  Running(const Running&) = delete;
  Running& operator=(const Running&) = delete;

 private:
  CallQueue& queue_;
  const Lane lane_;
  FairQueue::Flow& flow_;
};

CallQueue::CallQueue(Schedule schedule, Options options)
    : schedule_(std::move(schedule)),
      options_(std::move(options)),
      short_(options_.calls),
      long_(OfLongLane(options_.calls)) {}

absl::Status CallQueue::Add(Step& step, Lane lane, const FairQueue::Place& place,
                            const RequestContext& context) {
  try {
    return TryAdd(step, lane, place, context);
  } catch (const std::bad_alloc&) {
    return OutOfMemory();
  }
}

absl::Status CallQueue::TryAdd(Step& step, Lane lane, const FairQueue::Place& place,
                               const RequestContext& context) {
  bool added;
  size_t tokens;
  {
    MutexLock lock(mu_);
    if (context.cancelled()) return context.Check();
    LaneState& state = StateOf(lane);
    step.lane_ = lane;
    added = state.calls.Add(step, place, options_.now());
    tokens = ClaimTokens(state);
  }
  const bool given = GiveTokens(lane, tokens);
  if (!added) {
    return Refusal(
        ResourceExhaustedError("the limit of ", options_.calls.max_waiting_per_share,
                               " waiting calls per client is reached; try again later, and make "
                               "fewer calls at the same time"),
        "waiting");
  }
  // Without a token the call might wait although a thread is free.
  if (!given && Remove(step)) return OutOfMemory();
  return absl::OkStatus();
}

absl::Status CallQueue::OutOfMemory() {
  return Refusal(ResourceExhaustedError("out of memory: cannot queue the call"), "memory");
}

bool CallQueue::Remove(Step& step) {
  MutexLock lock(mu_);
  return StateOf(step.lane_).calls.Remove(step);
}

size_t CallQueue::ClaimTokens(LaneState& state) {
  if (!state.calls.CanTake()) return 0;
  const size_t wanted = std::min(state.calls.waiting(), options_.calls.threads);
  const size_t before = state.tokens;
  state.tokens = std::max(before, wanted);
  return state.tokens - before;
}

bool CallQueue::GiveTokens(Lane lane, size_t count) {
  for (; count > 0; --count) {
    try {
      schedule_(lane, [self = shared_from_this(), lane] { self->RunToken(lane); });
    } catch (const std::bad_alloc&) {
      MutexLock lock(mu_);
      StateOf(lane).tokens -= count;
      return false;
    }
  }
  return true;
}

void CallQueue::RunToken(Lane lane) {
  FairQueue::Turn turn;
  size_t tokens;
  {
    MutexLock lock(mu_);
    LaneState& state = StateOf(lane);
    --state.tokens;
    turn = Take(state);
    // The call may take long, so what waits behind it needs another token.
    tokens = ClaimTokens(state);
  }
  GiveTokens(lane, tokens);
  if (turn.entry == nullptr) return;
  const Running running(*this, lane, *turn.flow);
  static_cast<Step*>(turn.entry)->RunStep();
}

void CallQueue::Finish(Lane lane, FairQueue::Flow& flow) {
  size_t tokens;
  {
    MutexLock lock(mu_);
    LaneState& state = StateOf(lane);
    state.calls.Finish(flow);
    tokens = ClaimTokens(state);
  }
  GiveTokens(lane, tokens);
}

FairQueue::Turn CallQueue::Take(LaneState& state) {
  const FairQueue::Turn turn = state.calls.Take();
  if (turn.entry == nullptr) return turn;
  retry_.Waited(options_.now() - turn.entry->since());
  return turn;
}

void CallQueue::Sweep() {
  for (const Lane lane : {Lane::kShort, Lane::kLong}) {
    IntrusiveList<FairQueue::Entry> overdue;
    size_t tokens;
    {
      MutexLock lock(mu_);
      LaneState& state = StateOf(lane);
      state.calls.TakeOverdue(options_.now() - options_.max_wait, &overdue);
      tokens = ClaimTokens(state);
    }
    GiveTokens(lane, tokens);
    while (FairQueue::Entry* const entry = overdue.pop_front()) {
      RefuseOverdue(static_cast<Step&>(*entry));
    }
  }
}

void CallQueue::RefuseOverdue(Step& step) {
  const int64_t wait = options_.max_wait.count();
  if (step.share_was_served()) {
    return step.RefuseStep(
        Refusal(ResourceExhaustedError("the call waited for ", wait,
                                       " ms behind other calls of its client; try again later, and "
                                       "make fewer calls at the same time"),
                "waiting time"));
  }
  step.RefuseStep(Refusal(UnavailableError("the server is overloaded: the call waited for ", wait,
                                           " ms; try again later"),
                          "waiting time"));
}

absl::Status CallQueue::Refusal(const absl::Status& status, std::string_view budget) {
  return WithRetryDelay(WithReason(status, v1::ERROR_REASON_BUDGET_EXHAUSTED, {{"budget", budget}}),
                        retry_.Next());
}

size_t CallQueue::waiting(PriorityClass priority) const {
  MutexLock lock(mu_);
  return short_.calls.waiting(priority) + long_.calls.waiting(priority);
}

size_t CallQueue::shares(Lane lane) const {
  MutexLock lock(mu_);
  return (lane == Lane::kShort ? short_ : long_).calls.shares();
}

}  // namespace stagedoor::server

#include "server/rpc/queued_call.h"

#include <new>

#include "base/status.h"

namespace stagedoor {

void QueuedCall::Start(bool light, Lane lane) {
  CallRuntime& runtime = call_->runtime();
  if (light && runtime.TakeThread()) {
    Work();  // may end this object
    return runtime.GiveThreadBack();
  }
  holders_.fetch_add(1, std::memory_order_relaxed);
  queued_.store(true, std::memory_order_release);
  try {
    runtime.executor().Schedule(lane, [this] {
      if (TakeFromQueue()) Work();
      LetGo();
    });
  } catch (const std::bad_alloc&) {
    if (TakeFromQueue())
      Fail(ResourceExhaustedError("the daemon has no memory left for this call"));
    LetGo();
  }
}

void QueuedCall::Cancel() {
  RequestContext& context = call_->context();
  context.Fail(context.Check());  // if its deadline is the reason
  context.Cancel();
  if (TakeFromQueue()) Fail(context.Check());
}

void QueuedCall::Done() {
  Taken();
  call_ = nullptr;
  LetGo();
}

void QueuedCall::CutOff(std::chrono::seconds patience) {
  RequestContext& context = call_->context();
  context.Fail(context.Check());  // its deadline, most likely
  context.Fail(DeadlineExceededError("the client has not read a message for ", patience.count(),
                                     " s: the call is cut off"));
  grpc_->TryCancel();
}

}  // namespace stagedoor

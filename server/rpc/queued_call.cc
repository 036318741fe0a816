#include "server/rpc/queued_call.h"

#include <new>

#include "base/status.h"

namespace stagedoor::server {

void QueuedCall::Start(bool run_inline, Lane lane) {
  CallAdmission& admission = call_->admission();
  if (run_inline && admission.TryAcquireInlineSlot()) {
    Work();  // may delete this object
    return admission.ReleaseInlineSlot();
  }
  holders_.fetch_add(1, std::memory_order_relaxed);
  queued_.store(true, std::memory_order_release);
  try {
    admission.executor().Schedule(lane, [this] {
      if (TryDequeue()) Work();
      Unref();
    });
  } catch (const std::bad_alloc&) {
    if (TryDequeue()) Fail(ResourceExhaustedError("out of memory: cannot queue the call"));
    Unref();
  }
}

void QueuedCall::Cancel() {
  RequestContext& context = call_->context();
  context.Fail(context.Check());  // records the deadline as the error if it has passed
  context.Cancel();
  if (TryDequeue()) Fail(context.Check());
}

void QueuedCall::Done() {
  WriteDone();
  call_ = nullptr;
  Unref();
}

void QueuedCall::AbortStalled(std::chrono::seconds timeout) {
  RequestContext& context = call_->context();
  context.Fail(context.Check());  // usually the deadline has passed
  context.Fail(DeadlineExceededError("call aborted: the client has not read a message for ",
                                     timeout.count(), " s"));
  grpc_->TryCancel();
}

}  // namespace stagedoor::server

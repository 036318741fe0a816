#include "server/rpc/queued_call.h"

#include <new>
#include <utility>

#include "base/status.h"
#include "base/status_macros.h"
#include "server/rpc/reply_terms.h"

namespace stagedoor::server {

absl::Status QueuedCall::ReserveRequest(size_t bytes) {
  return call_->Run([&] { return call_->context().Reserve(bytes, "the request"); });
}

void QueuedCall::Start(bool light, Lane lane) {
  CallAdmission& admission = call_->admission();
  if (light && admission.TryAcquireInlineSlot()) {
    started_ = true;
    Work();  // may delete this object
    return admission.ReleaseInlineSlot();
  }
  holders_.fetch_add(2, std::memory_order_relaxed);
  const absl::Status queued = Enqueue(light, lane);
  if (!queued.ok()) {
    Fail(queued);
    Unref();
  }
  Unref();
}

absl::Status QueuedCall::Enqueue(bool light, Lane lane) {
  if (!light && !started_) SD_RETURN_IF_ERROR(call_->CheckMemory(lane));
  try {
    if (!origin_) origin_ = OriginOf(call_->caller(), grpc_->peer());
  } catch (const std::bad_alloc&) {
    return ResourceExhaustedError("out of memory: cannot queue the call");
  }
  FairQueue::Place place;
  place.priority = origin_->priority;
  place.share = origin_->share;
  // Light calls do not wait behind others of their connection, which may take long.
  place.flow = 2 * origin_->connection + (light ? 1 : 0);
  place.continues = std::exchange(started_, true);
  call_->set_state(CallState::kWaiting);
  call_->AddToRegistry();
  return call_->admission().queue().Add(*this, lane, place, call_->context());
}

void QueuedCall::RunStep() {
  Work();
  Unref();
}

void QueuedCall::RefuseStep(const absl::Status& status) {
  Fail(status);
  Unref();
}

void QueuedCall::AddReplyTerms() {
  if (call_->reads_clips() || !call_->HasMetadata(kAskReplyTerms)) return;
  grpc_->AddTrailingMetadata(kLastingReply, "1");
}

absl::Status QueuedCall::MarkCancelled() {
  RequestContext& context = call_->context();
  context.Fail(context.Check());  // records the deadline as the error if it has passed
  context.Cancel();
  return context.Check();
}

void QueuedCall::Cancel() {
  const absl::Status status = MarkCancelled();
  if (!call_->admission().queue().Remove(*this)) return;
  Fail(status);
  Unref();
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

#include "server/rpc/stream_call.h"

#include <utility>

#include "base/out_of_memory.h"
#include "base/status_macros.h"

namespace stagedoor::server {
namespace {

using std::chrono::milliseconds;

// A stream that has taken longer continues on the executor instead of a gRPC thread.
constexpr milliseconds kMaxInlineTime{1};
// A stream that has taken longer continues in the long lane.
constexpr milliseconds kShortTime{20};

}  // namespace

void StreamCall::Start() {
  const absl::Status reserved = ReserveRequest(request_->Length());
  if (!reserved.ok()) return Fail(reserved);
  light_ = method_.weight == CallWeight::kInline &&
           (method_.can_run_inline == nullptr || method_.can_run_inline(*request_));
  Continue();
}

void StreamCall::Continue() {
  const bool heavy = method_.weight == CallWeight::kHeavy || spent_ > kShortTime;
  QueuedCall::Start(light_ && spent_ < kMaxInlineTime, heavy ? Lane::kLong : Lane::kShort);
}

void StreamCall::Work() {
  call().BeginStep();
  const auto begin = std::chrono::steady_clock::now();
  const absl::StatusOr<bool> more = call().Run([this] { return MakeMessage(); });
  const auto discarded = call().context().TakeDeferred();  // destroyed after the reply is sent
  spent_ += std::chrono::steady_clock::now() - begin;
  call().SetWorked(spent_);
  if (!more.ok() || !*more) return Fail(more.status());
  call().AddToRegistry();  // a client may take its time to read
  WriteStarted();
  // Both kinds of write may delete this object.
  if (!stream_->AtEnd()) return StartWrite(&message_);
  stream_ = nullptr;
  AddReplyTerms();
  StartWriteAndFinish(&message_, grpc::WriteOptions(), call().End(absl::OkStatus()));
}

void StreamCall::Fail(const absl::Status& status) {
  stream_ = nullptr;
  message_.Clear();
  if (status.ok()) AddReplyTerms();
  Finish(call().End(status));
}

absl::StatusOr<bool> StreamCall::MakeMessage() {
  RequestContext& context = call().context();
  if (stream_ == nullptr) {
    SD_ASSIGN_OR_RETURN(stream_, method_.handler(context, request_));
  }
  SD_ASSIGN_OR_RETURN(const bool more, stream_->Next(context, &message_));
  if (!more) return false;
  const size_t bytes = message_.Length();
  SD_RETURN_IF_ERROR(context.Reserve(bytes, "a message to the client"));
  message_bytes_ = bytes;
  call().AddBytesOut(bytes);
  return true;
}

void StreamCall::OnWriteDone(bool ok) {
  WriteDone();
  RequestContext& context = call().context();
  context.Release(std::exchange(message_bytes_, 0));
  message_.Clear();
  if (ok) return stream_->MayWait() ? Suspend() : Continue();
  context.Cancel();  // a failed write means that the client is gone
  Fail(context.Check());
}

void StreamCall::Suspend() {
  RequestContext& context = call().context();
  std::shared_ptr<Suspension> suspension;
  bool waits = false;
  const absl::Status status = CatchOutOfMemory([&] {
    suspension = call().admission().suspended().Add(*this, context.deadline());
    {
      MutexLock lock(suspension_mu_);
      suspension_ = suspension;
    }
    waits = stream_->WaitForMore([suspension] { suspension->Wake(); });
    return absl::OkStatus();
  });
  if (!status.ok()) {
    if (suspension != nullptr) suspension->Drop();
    return Fail(status);
  }
  if (!waits) {
    suspension->Drop();
    return Continue();
  }
  Ref();
  call().set_state(CallState::kSuspended);
  call().LeaveFlight();
  if (suspension->Arm(context)) return;  // another thread continues with the call
  const absl::Status ended = suspension->ended();
  if (ended.ok()) {
    Resume();
  } else {
    EndSuspended(ended);
  }
}

void StreamCall::Resume() {
  call().ReturnToFlight();
  // The thread is that of the cause of the event, so it must not do the work.
  QueuedCall::Start(false, spent_ > kShortTime ? Lane::kLong : Lane::kShort);
  Unref();
}

void StreamCall::EndSuspended(const absl::Status& status) {
  call().ReturnToFlight();
  Fail(status);
  Unref();
}

void StreamCall::OnCancel() {
  const absl::Status status = MarkCancelled();
  std::shared_ptr<Suspension> suspension;
  {
    MutexLock lock(suspension_mu_);
    suspension = suspension_;
  }
  if (suspension == nullptr || !suspension->End(status)) Cancel();
}

}  // namespace stagedoor::server

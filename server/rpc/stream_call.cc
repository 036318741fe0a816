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
  MakeMessages(begin);
  const auto discarded = call().context().TakeDeferred();  // destroyed after the reply is sent
  spent_ += std::chrono::steady_clock::now() - begin;
  call().SetWorked(spent_);
  Send();
}

void StreamCall::MakeMessages(std::chrono::steady_clock::time_point begin) {
  do {
    const absl::StatusOr<bool> more = call().Run([this] { return MakeMessage(); });
    if (!more.ok() || !*more) {
      end_ = more.status();
    } else if (stream_->AtEnd()) {
      end_ = absl::OkStatus();
    }
  } while (MayMakeMore(begin));
}

bool StreamCall::MayMakeMore(std::chrono::steady_clock::time_point begin) {
  // The first message is sent at once.
  if (end_ || !has_sent_ || stream_->MayWait()) return false;
  return !call().admission().TurnIsOver(begin, made_bytes_) &&
         call().CheckMemory(Lane::kShort).ok();
}

absl::StatusOr<bool> StreamCall::MakeMessage() {
  RequestContext& context = call().context();
  if (stream_ == nullptr) {
    SD_ASSIGN_OR_RETURN(stream_, method_.handler(context, request_));
  }
  grpc::ByteBuffer message;
  SD_ASSIGN_OR_RETURN(const bool more, stream_->Next(context, &message));
  if (!more) return false;
  const size_t bytes = message.Length();
  SD_RETURN_IF_ERROR(context.Reserve(bytes, "a message to the client"));
  made_.push_back(std::move(message));
  made_bytes_ += bytes;
  return true;
}

void StreamCall::Send() {
  if (made_.empty()) return Fail(*end_);
  message_.Swap(&made_.front());
  made_.pop_front();
  message_bytes_ = message_.Length();
  made_bytes_ -= message_bytes_;
  has_sent_ = true;
  call().AddBytesOut(message_bytes_);
  call().AddToRegistry();  // a client may take its time to read
  WriteStarted();
  // Both kinds of write may delete this object.
  if (!made_.empty() || !end_ || !end_->ok()) return StartWrite(&message_);
  stream_ = nullptr;
  AddReplyTerms();
  StartWriteAndFinish(&message_, grpc::WriteOptions(), call().End(absl::OkStatus()));
}

void StreamCall::Fail(const absl::Status& status) {
  const absl::Status ended = status;  // may be end_
  stream_ = nullptr;
  message_.Clear();
  made_.clear();
  call().context().Release(std::exchange(made_bytes_, 0));
  if (ended.ok()) AddReplyTerms();
  Finish(call().End(ended));
}

void StreamCall::OnWriteDone(bool ok) {
  WriteDone();
  RequestContext& context = call().context();
  context.Release(std::exchange(message_bytes_, 0));
  message_.Clear();
  if (!ok) context.Cancel();  // a failed write means that the client is gone
  if (!ok || context.cancelled()) return Fail(context.Check());
  if (!made_.empty() || end_) return Send();
  return stream_->MayWait() ? Suspend() : Continue();
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

#include "server/rpc/stream_call.h"

#include <utility>

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
  StartWriteAndFinish(&message_, grpc::WriteOptions(), call().End(absl::OkStatus()));
}

void StreamCall::Fail(const absl::Status& status) {
  stream_ = nullptr;
  message_.Clear();
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
  if (ok) return Continue();
  context.Cancel();  // a failed write means that the client is gone
  Fail(context.Check());
}

}  // namespace stagedoor::server

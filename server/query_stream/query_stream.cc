#include "server/query_stream/query_stream.h"

#include <grpcpp/support/slice.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <utility>
#include <vector>

#include "base/status.h"
#include "base/status_macros.h"

namespace stagedoor::server {
namespace {

using Clock = std::chrono::steady_clock;

std::string_view ViewOf(const grpc::Slice& slice) {
  return {reinterpret_cast<const char*>(slice.begin()), slice.size()};
}

}  // namespace

QueryStream::QueryStream(ChannelHost& host, uint64_t number, grpc::CallbackServerContext* context,
                         Admitted admitted, std::function<void()> done)
    : QueryChannel(host, number),
      context_(context),
      peer_(context->peer()),
      admitted_(std::move(admitted)),
      done_(std::move(done)),
      written_bytes_(memory()) {}

void QueryStream::Open() {
  self_ = shared_from_this();
  Call& call = *admitted_.call;
  call.BeginStep();
  call.SetWorked(std::chrono::nanoseconds(0));  // its queries work, and are calls themselves
  call.set_state(CallState::kSuspended);
  call.AddToRegistry();
  call.LeaveFlight();
  SendSmall(Window());
  Settle();
  StartRead(&request_);
}

void QueryStream::AskToLeave(const absl::Status& reason) {
  End(reason);
  Settle();
}

void QueryStream::OnReadDone(bool ok) {
  {
    MutexLock lock(mu_);
    ++users_;
    if (!ok) half_closed_ = true;
  }
  if (!ok) return Leave();
  const absl::Status received = Receive();
  if (received.ok()) return Turn();
  End(received);
  Leave();
}

absl::Status QueryStream::Receive() {
  grpc::ByteBuffer message;
  message.Swap(&request_);
  const size_t length = message.Length();
  admitted_.call->AddBytesIn(length);
  // As on a socket, where the length precedes the message.
  const auto header = static_cast<uint32_t>(std::min<size_t>(length, UINT32_MAX));
  SD_RETURN_IF_ERROR(
      Feed(std::string_view(reinterpret_cast<const char*>(&header), sizeof(header))));
  // It is refused for its length.
  if (length > kMaxFrameMessageBytes) return HandleNext().status();
  std::vector<grpc::Slice> slices;
  if (!message.Dump(&slices).ok()) return InternalError("cannot read a message of frames");
  for (const grpc::Slice& slice : slices) SD_RETURN_IF_ERROR(Feed(ViewOf(slice)));
  return absl::OkStatus();
}

void QueryStream::Turn() {
  const bool whole = HandleFrames();
  Settle();
  if (ended()) return Leave();
  if (whole) {
    StartRead(&request_);
    return Leave();
  }
  if (Pause()) return;
  host().admission().executor().Schedule(
      Lane::kShort, [this, self = std::shared_ptr<QueryChannel>(shared_from_this())] { Turn(); });
}

bool QueryStream::HandleFrames() {
  const Clock::time_point turn_end = Clock::now() + kTurn;
  for (int left = kFramesPerTurn; left > 0 && Clock::now() < turn_end; --left) {
    {
      MutexLock lock(mu_);
      if (end_.has_value() || waiting_.bytes() + sending_bytes_ > kMaxBacklog) return false;
    }
    const absl::StatusOr<bool> handled = HandleNext();
    const absl::Status& failed = handled.ok() ? refusal_ : handled.status();
    if (!failed.ok()) End(failed);
    if (handled.ok() && !*handled) return true;
  }
  return false;
}

bool QueryStream::Pause() {
  MutexLock lock(mu_);
  // There is a message that gRPC sends, whose end resumes the turn.
  if (!writing_ || end_.has_value() || waiting_.bytes() + sending_bytes_ <= kMaxBacklog) {
    return false;
  }
  paused_ = true;
  --users_;
  return true;
}

void QueryStream::Leave() {
  {
    MutexLock lock(mu_);
    --users_;
  }
  Settle();
}

void QueryStream::OnWriteDone(bool ok) {
  host().admission().stall_watchdog().WriteDone(*this);
  bool resumes = false;
  {
    MutexLock lock(mu_);
    writing_ = false;
    sending_bytes_ = 0;
    message_.Clear();
    const size_t reserved = written_bytes_.bytes();
    written_bytes_.Shrink(reserved - std::min(reserved, waiting_.bytes()));
    if (ok && paused_ && waiting_.bytes() <= kMaxBacklog) {
      paused_ = false;
      resumes = true;
      ++users_;
    }
  }
  if (!ok) Abandon(CancelledError("the client is gone"));
  Settle();
  if (resumes) Turn();
}

void QueryStream::OnCancel() {
  const int64_t stalled = stalled_s_.load(std::memory_order_relaxed);
  if (stalled > 0) {
    return Abandon(DeadlineExceededError("call aborted: the client has not read a message for ",
                                         stalled, " s"));
  }
  if (context_->deadline() <= std::chrono::system_clock::now()) {
    return Abandon(DeadlineExceededError("the deadline of the call has passed"));
  }
  Abandon(CancelledError("the client cancelled the call"));
}

void QueryStream::OnDone() {
  host().admission().stall_watchdog().WriteDone(*this);
  admitted_ = {};
  done_();
  const std::shared_ptr<QueryChannel> self = std::move(self_);  // may be the last
}

void QueryStream::Settle() {
  std::optional<absl::Status> finish;
  {
    MutexLock lock(mu_);
    if (writing_ || finished_) return;
    if (!waiting_.empty()) {
      message_ = waiting_.Take();
      sending_bytes_ = message_.Length();
      writing_ = true;
      admitted_.call->AddBytesOut(sending_bytes_);
    } else {
      if (users_ > 0) return;
      if (half_closed_ && !end_.has_value() && queries_in_flight() == 0) end_ = absl::OkStatus();
      if (!end_.has_value()) return;
      finished_ = true;
      finish = end_;
    }
  }
  if (finish.has_value()) return Finish(admitted_.call->End(*finish));
  host().admission().stall_watchdog().WriteStarted(*this, Clock::time_point::max());
  StartWrite(&message_);
}

bool QueryStream::ended() {
  MutexLock lock(mu_);
  return end_.has_value();
}

void QueryStream::End(const absl::Status& reason) {
  {
    MutexLock lock(mu_);
    if (end_.has_value()) return;
    waiting_.Add(Goodbye(reason));
    end_ = reason;
  }
  CancelQueries();
}

void QueryStream::Abandon(const absl::Status& reason) {
  {
    MutexLock lock(mu_);
    if (!end_.has_value()) end_ = reason;
    waiting_.Clear();
  }
  CancelQueries();
  Settle();
}

absl::StatusOr<std::shared_ptr<const Caller>> QueryStream::Identify() {
  auto caller = host().admission().Identify(*context_, host().counters());
  // Its credentials stay those with which it began.
  if (!caller.ok()) refusal_ = caller.status();
  return caller;
}

absl::Status QueryStream::Send(const v1::ServerFrame& frame) {
  const size_t bytes = frame.ByteSizeLong();
  MutexLock lock(mu_);
  if (end_.has_value()) return absl::OkStatus();
  absl::Status grown = written_bytes_.Grow(bytes, "the answers that the client has not read");
  if (grown.ok()) waiting_.Add(frame);
  return grown;
}

void QueryStream::SendSmall(const v1::ServerFrame& frame) {
  MutexLock lock(mu_);
  if (end_.has_value()) return;
  written_bytes_.Add(frame.ByteSizeLong());
  waiting_.Add(frame);
}

// Not called: it shares no memory.
void QueryStream::SendDescriptor(const v1::ServerFrame& /*frame*/, int fd) { ::close(fd); }

void QueryStream::AbortStalled(std::chrono::seconds timeout) {
  stalled_s_.store(timeout.count(), std::memory_order_relaxed);
  context_->TryCancel();
}

}  // namespace stagedoor::server

#include "server/query_socket/query_call.h"

#include <chrono>
#include <utility>
#include <vector>

#include "base/status.h"
#include "base/status_macros.h"
#include "server/converters/array_placer.h"
#include "server/converters/duration_converter.h"
#include "server/error_info.h"
#include "server/handlers/value_handlers.h"
#include "server/query_socket/channel_host.h"
#include "server/query_socket/channel_segments.h"
#include "server/query_socket/query_owner.h"
#include "server/query_socket/reply_answer.h"
#include "server/rpc/call_origin.h"
#include "server/services/enum_validator.h"
#include "server/services/methods.h"

namespace stagedoor::server {
namespace {

// Larger replies of a source are not copied by the thread that reads channels, nor by gRPC's.
constexpr size_t kMaxInlineReply = size_t{4} << 20;

std::chrono::system_clock::time_point DeadlineOf(const v1::Query& query) {
  if (!query.has_timeout()) return std::chrono::system_clock::time_point::max();
  return std::chrono::system_clock::now() + ToNanoseconds(query.timeout());
}

std::chrono::system_clock::time_point DeadlineOf(const RequestContext& context) {
  if (!context.has_deadline()) return std::chrono::system_clock::time_point::max();
  return std::chrono::system_clock::now() + (context.deadline() - RequestContext::Clock::now());
}

// Places for the arrays of one answer.
class AnswerPlacer final : public ArrayPlacer {
 public:
  explicit AnswerPlacer(ChannelSegments& segments) : segments_(segments) {}

  char* Place(size_t bytes, v1::SharedSegment* out) override {
    char* const place = segments_.Place(bytes, out);
    if (place != nullptr) taken_.push_back(*out);
    return place;
  }
  void TakeBack() override {
    for (const v1::SharedSegment& place : taken_) segments_.Release(place).IgnoreError();
    taken_.clear();
  }

 private:
  ChannelSegments& segments_;
  std::vector<v1::SharedSegment> taken_;
};

}  // namespace

// A query that the source has been asked, until the thread that ends it has released its channel.
class QueryCall::AskedQuery {
 public:
  AskedQuery(std::shared_ptr<QueryCall> call, InFlightCount& count)
      : call_(std::move(call)), count_(count) {
    count_.Begin();
  }
  ~AskedQuery() {
    call_ = nullptr;
    count_.End();
  }
  AskedQuery(const AskedQuery&) = delete;
  AskedQuery& operator=(const AskedQuery&) = delete;

  void End(const absl::Status& status, grpc::ByteBuffer* reply) { call_->TakeReply(status, reply); }

 private:
  std::shared_ptr<QueryCall> call_;
  InFlightCount& count_;
};

QueryCall::QueryCall(std::shared_ptr<QueryOwner> channel, const v1::Query& query)
    : channel_(std::move(channel)),
      id_(query.request_id()),
      shares_segments_(query.shared_segments() && channel_->shares_memory()),
      call_(channel_->host().admission(), channel_->host().counters(), DeadlineOf(query),
            channel_->Identify(), nullptr, channel_->peer()) {}

void QueryCall::Start(const v1::Query& query, const ChannelBindings& bindings,
                      const std::shared_ptr<QueryCall>& self) {
  const absl::Status read = call_.Run([&] { return Read(query, bindings); });
  if (!read.ok()) return Fail(read);
  ChannelHost& host = channel_->host();
  if (host.source() != nullptr) return Ask(self);
  const bool light = HasFewValues(*request_);
  if (light && host.TryAcquireInlineSlot()) {
    Work();
    return host.ReleaseInlineSlot();
  }
  const absl::Status queued = Enqueue(light, self);
  if (!queued.ok()) Fail(queued);
}

absl::Status QueryCall::Read(const v1::Query& query, const ChannelBindings& bindings) {
  call_.AddBytesIn(query.ByteSizeLong());
  SD_RETURN_IF_ERROR(bindings.FillRequest(query, call_.context(), request_.get()));
  return ValidateEnums(*request_);
}

absl::Status QueryCall::Enqueue(bool light, const std::shared_ptr<QueryCall>& self) {
  if (!light) SD_RETURN_IF_ERROR(call_.CheckMemory(Lane::kShort));
  SD_RETURN_IF_ERROR(channel_->Keep(self));
  absl::Status added = AddToQueue(light);
  if (!added.ok()) channel_->Release(id_);
  return added;
}

absl::Status QueryCall::AddToQueue(bool light) {
  const CallOrigin origin = OriginOf(call_.caller(), channel_->peer());
  FairQueue::Place place;
  place.priority = origin.priority;
  place.share = origin.share;
  // Light queries do not wait behind others of their channel, which may take long.
  place.flow = 2 * channel_->number() + (light ? 1 : 0);
  call_.set_state(CallState::kWaiting);
  call_.AddToRegistry();
  return call_.admission().queue().Add(*this, Lane::kShort, place, call_.context());
}

void QueryCall::Ask(const std::shared_ptr<QueryCall>& self) {
  ChannelHost& host = channel_->host();
  const absl::Status kept = channel_->Keep(self);
  if (!kept.ok()) return Fail(kept);
  call_.set_state(CallState::kWaiting);
  call_.AddToRegistry();
  {
    MutexLock lock(mu_);
    asking_ = true;
  }
  std::shared_ptr<QuerySource::Pending> pending;
  const auto asked = std::make_shared<AskedQuery>(self, host.asked());
  const absl::Status status = call_.Run([&] {
    pending = host.source()->Ask(
        *request_, DeadlineOf(call_.context()),
        [asked](const absl::Status& end, grpc::ByteBuffer* reply) { asked->End(end, reply); });
    return absl::OkStatus();
  });
  request_.Free();  // the source has what it needs
  if (!status.ok()) TakeReply(status, nullptr);
  {
    MutexLock lock(mu_);
    asking_ = false;
    if (!has_reply_) pending_ = pending;
    if (has_reply_) pending = nullptr;
  }
  if (pending == nullptr) return AnswerReply(true);
  if (call_.context().cancelled()) pending->Cancel();
}

void QueryCall::TakeReply(const absl::Status& status, grpc::ByteBuffer* reply) {
  std::shared_ptr<QuerySource::Pending> ended;  // destroyed without the lock
  {
    MutexLock lock(mu_);
    if (std::exchange(has_reply_, true)) return;
    ended.swap(pending_);
    reply_status_ = status;
    if (reply != nullptr) reply_.Swap(reply);
    if (asking_) return;
  }
  AnswerReply(false);
}

void QueryCall::AnswerReply(bool reading) {
  if (reply_status_.ok() && reply_.Length() > kMaxInlineReply) {
    const absl::Status added = AddToQueue(false);
    if (added.ok()) return;
    reply_status_ = added;
  }
  const std::shared_ptr<QueryOwner> channel = channel_;
  Work();
  if (!reading) channel->Flush();
  channel->Release(id_);
}

void QueryCall::RunStep() {
  const std::shared_ptr<QueryOwner> channel = channel_;
  Work();
  channel->Flush();
  channel->Release(id_);
}

void QueryCall::RefuseStep(const absl::Status& status) {
  const std::shared_ptr<QueryOwner> channel = channel_;
  Fail(status);
  channel->Flush();
  channel->Release(id_);
}

void QueryCall::Cancel() {
  RequestContext& context = call_.context();
  context.Fail(context.Check());  // records the deadline as the error if it has passed
  context.Cancel();
  if (call_.admission().queue().Remove(*this)) return RefuseStep(context.Check());
  std::shared_ptr<QuerySource::Pending> pending;
  {
    MutexLock lock(mu_);
    pending = pending_;
  }
  if (pending != nullptr) pending->Cancel();
}

void QueryCall::Work() {
  call_.BeginStep();
  RequestMessage<v1::ServerFrame> frame;
  AnswerPlacer placer(channel_->segments());
  absl::Status status = call_.Run(
      [&] { return Answer(shares_segments_ ? &placer : nullptr, frame->mutable_answer()); });
  const auto discarded = call_.context().TakeDeferred();  // destroyed after the answer is sent
  if (status.ok()) status = channel_->Send(*frame);
  if (!status.ok()) {
    placer.TakeBack();
    return Fail(status);
  }
  call_.AddBytesOut(static_cast<size_t>(frame->GetCachedSize()));
  static_cast<void>(call_.End(status));
}

absl::Status QueryCall::Answer(ArrayPlacer* placer, v1::Answer* answer) {
  answer->set_request_id(id_);
  if (channel_->host().source() != nullptr) {
    SD_RETURN_IF_ERROR(reply_status_);
    return ReadReply(call_.context(), &reply_, placer, answer->mutable_values());
  }
  return BatchGetPlacedValues(channel_->host().state(), call_.context(), *request_, placer,
                              answer->mutable_values());
}

void QueryCall::Fail(const absl::Status& status) {
  v1::ServerFrame frame;
  frame.mutable_answer()->set_request_id(id_);
  FillItemStatus(status, 0, frame.mutable_answer()->mutable_error());
  channel_->SendSmall(frame);
  static_cast<void>(call_.End(status));
}

}  // namespace stagedoor::server

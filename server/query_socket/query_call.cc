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
#include "server/rpc/call_origin.h"
#include "server/services/enum_validator.h"
#include "server/services/methods.h"

namespace stagedoor::server {
namespace {

std::chrono::system_clock::time_point DeadlineOf(const v1::Query& query) {
  if (!query.has_timeout()) return std::chrono::system_clock::time_point::max();
  return std::chrono::system_clock::now() + ToNanoseconds(query.timeout());
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
  const bool light = HasFewValues(*request_);
  ChannelHost& host = channel_->host();
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
  const CallOrigin origin = OriginOf(call_.caller(), channel_->peer());
  FairQueue::Place place;
  place.priority = origin.priority;
  place.share = origin.share;
  // Light queries do not wait behind others of their channel, which may take long.
  place.flow = 2 * channel_->number() + (light ? 1 : 0);
  SD_RETURN_IF_ERROR(channel_->Keep(self));
  call_.set_state(CallState::kWaiting);
  call_.AddToRegistry();
  absl::Status added = call_.admission().queue().Add(*this, Lane::kShort, place, call_.context());
  if (!added.ok()) channel_->Release(id_);
  return added;
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
  if (call_.admission().queue().Remove(*this)) RefuseStep(context.Check());
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

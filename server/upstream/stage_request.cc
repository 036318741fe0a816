#include "server/upstream/stage_request.h"

#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/io/zero_copy_stream_impl_lite.h>
#include <google/protobuf/wire_format_lite.h>

#include <iterator>
#include <utility>

#include "base/status_macros.h"
#include "client/cc/routing_key.h"
#include "server/rpc/message_serialization.h"
#include "server/upstream/reply_key.h"
#include "server/upstream/stage_fields.h"

namespace stagedoor::server {

using google::protobuf::internal::WireFormatLite;

absl::StatusOr<std::shared_ptr<StageRequest>> StageRequest::Parse(const ForwardedMethod& method,
                                                                  grpc::ByteBuffer* bytes) {
  std::shared_ptr<StageRequest> request(new StageRequest(method));
  SD_RETURN_IF_ERROR(ParseMessage(bytes, request->message_.get()));
  request->FindStage();
  return request;
}

std::shared_ptr<StageRequest> StageRequest::Copy(const ForwardedMethod& method,
                                                 const google::protobuf::Message& message) {
  std::shared_ptr<StageRequest> request(new StageRequest(method));
  request->message_->CopyFrom(message);
  request->FindStage();
  return request;
}

void StageRequest::FindStage() {
  ref_ = FindStageRef(message_.get());
  if (ref_ != nullptr) {
    handle_ = ref_->handle();
    snapshot_ = ref_->snapshot();
  } else if (const v1::OpenStageRequest* open = FindOpenRequest(*message_)) {
    routing_key = RoutingKeyOf(open->root_layer());
  }
}

std::string StageRequest::ReplyKeyFor(const NodeStage& stage, const std::string& snapshot) {
  without_stage_ = BytesWithoutStage(*message_, ref_);
  return ReplyKey(
      {.method = method_.path, .snapshot = snapshot, .interpolation = stage.interpolation()},
      without_stage_);
}

std::string StageRequest::ArrayKind(const NodeStage& stage) {
  if (!method_.streams || FindDigestOptions(message_.get()) == nullptr) return {};
  // Changes of a frame have few of the arrays that the frame has.
  if (HasText(*message_, "base_token")) return {};
  return ReplyKind(method_.path, stage.routing_key(), *message_);
}

std::unique_ptr<ArrayFiller> StageRequest::ExpectArrays(const std::string& kind, ArrayStore& arrays,
                                                        UpstreamCounters& counters) {
  if (!method_.streams) return nullptr;
  v1::DigestOptions* const options = FindDigestOptions(message_.get());
  if (options == nullptr) return nullptr;
  ArrayFiller::Request request{.response = method_.response};
  request.known.insert(options->known().begin(), options->known().end());
  request.kind = kind;
  if (!kind.empty()) request.expected = arrays.Expect(kind);
  without_stage_.clear();
  for (const auto& [digest, array] : request.expected) {
    if (!request.known.contains(digest)) options->add_known(digest);
  }
  return std::make_unique<ArrayFiller>(std::move(request), arrays, counters);
}

UpstreamRequest StageRequest::ForUpstream(const NodeStage* stage, const std::string& snapshot) {
  UpstreamRequest request;
  request.method = &method_;
  request.caller = caller;
  request.deadline = deadline;
  request.routing_key = routing_key;
  // An edit that the daemon has carried out already is recognized by its ID.
  request.repeatable = method_.kind != ForwardKind::kEdit || HasText(*message_, "request_id");
  if (stage != nullptr && ref_ != nullptr) {
    const NodeStage::Lease lease = stage->lease();
    ref_->set_handle(lease.handle);
    ref_->set_snapshot(snapshot);
    request.routing_key = stage->routing_key();
    request.address = lease.address;
  }
  grpc::ByteBuffer bytes = Bytes();
  request.message.Swap(&bytes);  // gRPC's bytes cannot be moved otherwise
  return request;
}

grpc::ByteBuffer StageRequest::Bytes() const {
  const bool is_field = method_.stage_field != nullptr &&
                        message_->GetReflection()->HasField(*message_, method_.stage_field);
  if (without_stage_.empty() || !is_field) {
    return SerializeMessage(*message_).value_or(grpc::ByteBuffer());
  }
  // A message that comes twice is merged.
  std::string stage;
  google::protobuf::io::StringOutputStream stream(&stage);
  google::protobuf::io::CodedOutputStream coded(&stream);
  static_cast<void>(ref_->ByteSizeLong());  // which the message keeps for the next line
  WireFormatLite::WriteMessage(method_.stage_field->number(), *ref_, &coded);
  coded.Trim();
  const grpc::Slice parts[] = {grpc::Slice(without_stage_), grpc::Slice(stage)};
  return {parts, std::size(parts)};
}

}  // namespace stagedoor::server

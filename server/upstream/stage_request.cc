#include "server/upstream/stage_request.h"

#include <utility>

#include "base/status_macros.h"
#include "client/cc/routing_key.h"
#include "server/rpc/message_serialization.h"
#include "server/upstream/reply_key.h"
#include "server/upstream/stage_fields.h"

namespace stagedoor::server {

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
  return ReplyKey(
      {.method = method_.path, .snapshot = snapshot, .interpolation = stage.interpolation()},
      *message_, ref_);
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
  absl::StatusOr<grpc::ByteBuffer> bytes = SerializeMessage(*message_);
  if (bytes.ok()) request.message.Swap(&*bytes);  // gRPC's bytes cannot be moved otherwise
  return request;
}

}  // namespace stagedoor::server

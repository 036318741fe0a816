#ifndef STAGEDOOR_SERVER_UPSTREAM_STAGE_REQUEST_H_
#define STAGEDOOR_SERVER_UPSTREAM_STAGE_REQUEST_H_

#include <google/protobuf/message.h>
#include <grpcpp/support/byte_buffer.h>

#include <chrono>
#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "server/rpc/request_message.h"
#include "server/upstream/array_filler.h"
#include "server/upstream/array_store.h"
#include "server/upstream/node_stage.h"
#include "server/upstream/upstream_call.h"
#include "stagedoor/v1/types.pb.h"

namespace stagedoor::server {

// The request of a process, which is sent upstream in other words: with the handle there, and the
// snapshot that it is to be about. Not thread-safe.
class StageRequest {
 public:
  // Parses and consumes `bytes`. Errors: those of ParseMessage.
  static absl::StatusOr<std::shared_ptr<StageRequest>> Parse(const ForwardedMethod& method,
                                                             grpc::ByteBuffer* bytes);

  // The request of a method that did not come as bytes. The message is one of this method.
  static std::shared_ptr<StageRequest> Copy(const ForwardedMethod& method,
                                            const google::protobuf::Message& message);

  const ForwardedMethod& method() const { return method_; }
  // The parsed message.
  template <typename Message>
  const Message& As() const {
    return static_cast<const Message&>(*message_);
  }
  // The handle and the snapshot that it names; empty if it names none.
  const std::string& handle() const { return handle_; }
  const std::string& snapshot() const { return snapshot_; }
  // Who makes the call, until when, and how proxies find the daemon for it.
  ForwardedCaller caller;
  std::chrono::system_clock::time_point deadline;
  std::string routing_key;

  // The key of its reply, if it is about a snapshot of a stage: see ReplyKey.
  std::string ReplyKeyFor(const NodeStage& stage, const std::string& snapshot);
  // Names the replies that are likely to have the same arrays (see ReplyKind); empty if there are
  // none.
  std::string ArrayKind(const NodeStage& stage);
  // Names arrays of the store that the reply to come may have, so that upstream does not send them:
  // from now on, the request is only for a reply with this filler. Null if the reply is not a
  // stream, or the process does not ask for digests. `kind`: see ArrayKind.
  std::unique_ptr<ArrayFiller> ExpectArrays(const std::string& kind, ArrayStore& arrays,
                                            UpstreamCounters& counters);
  // The call upstream. `stage` is null for a request that names none.
  UpstreamRequest ForUpstream(const NodeStage* stage, const std::string& snapshot);

 private:
  explicit StageRequest(const ForwardedMethod& method)
      : method_(method), message_(*method.request) {}

  // Looks for the stage in the message.
  void FindStage();
  grpc::ByteBuffer Bytes() const;

  const ForwardedMethod& method_;
  const RequestMessage<google::protobuf::Message> message_;
  v1::StageRef* ref_ = nullptr;  // in the message
  std::string handle_;
  std::string snapshot_;
  // BytesWithoutStage, if the message has not changed since.
  std::string without_stage_;
};

}  // namespace stagedoor::server

#endif  // STAGEDOOR_SERVER_UPSTREAM_STAGE_REQUEST_H_

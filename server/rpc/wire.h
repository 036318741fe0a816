#ifndef STAGEDOOR_SERVER_RPC_WIRE_H_
#define STAGEDOOR_SERVER_RPC_WIRE_H_

#include <google/protobuf/message.h>
#include <grpcpp/support/byte_buffer.h>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace stagedoor {

class RequestContext;

// Takes `bytes`, which are empty afterwards. INVALID_ARGUMENT (UNDECODABLE) where they are no such
// message.
absl::Status ReadMessage(grpc::ByteBuffer* bytes, google::protobuf::Message* message);

// The wire form of a message. RESOURCE_EXHAUSTED (REQUEST_TOO_LARGE) above what one message can
// hold, 2 GiB.
absl::StatusOr<grpc::ByteBuffer> WriteMessage(const google::protobuf::MessageLite& message);

// The same for the reply of a unary call, which is all that stays reserved of its context.
absl::Status WriteReply(RequestContext& context, const google::protobuf::MessageLite& reply,
                        grpc::ByteBuffer* out);

}  // namespace stagedoor

#endif  // STAGEDOOR_SERVER_RPC_WIRE_H_

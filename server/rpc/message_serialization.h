#ifndef STAGEDOOR_SERVER_RPC_MESSAGE_SERIALIZATION_H_
#define STAGEDOOR_SERVER_RPC_MESSAGE_SERIALIZATION_H_

#include <google/protobuf/message.h>
#include <grpcpp/support/byte_buffer.h>

#include <memory>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace stagedoor {
class RequestContext;
}  // namespace stagedoor

namespace stagedoor::server {

// Parses and consumes `bytes`. INVALID_ARGUMENT (UNDECODABLE) if they are not a valid message of
// this type.
absl::Status ParseMessage(grpc::ByteBuffer* bytes, google::protobuf::Message* message);

// The wire form of a message. RESOURCE_EXHAUSTED (REQUEST_TOO_LARGE) for 2 GiB or more, which one
// message cannot hold.
absl::StatusOr<grpc::ByteBuffer> SerializeMessage(const google::protobuf::MessageLite& message);

// As SerializeMessage, for the reply of a unary call. Afterwards `context` has only the reply's
// bytes reserved.
absl::Status SerializeReply(RequestContext& context, const google::protobuf::MessageLite& reply,
                            grpc::ByteBuffer* out);
// Like SerializeReply above, but without a copy of large parts, for which the reply lives until
// it was sent.
absl::Status SerializeReply(RequestContext& context,
                            std::shared_ptr<const google::protobuf::MessageLite> reply,
                            grpc::ByteBuffer* out);

}  // namespace stagedoor::server

#endif  // STAGEDOOR_SERVER_RPC_MESSAGE_SERIALIZATION_H_

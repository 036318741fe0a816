#ifndef STAGEDOOR_SERVER_RPC_WIRE_H_
#define STAGEDOOR_SERVER_RPC_WIRE_H_

#include <google/protobuf/message.h>
#include <grpcpp/support/byte_buffer.h>

#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "server/rpc/chunked_stream.h"

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

// The wire form of a message followed by its last field, `bytes` of number `field`: the message is
// serialized, the chunk's bytes are not copied and stay pinned until they were sent.
grpc::ByteBuffer MakeRawMessage(const google::protobuf::MessageLite& message, int field,
                                PinnedChunk chunk);

// A message that is in wire form already; not copied, chunks stay pinned as above.
grpc::ByteBuffer MakeRawMessage(std::string wire);
grpc::ByteBuffer MakeRawMessage(WirePieces pieces);

}  // namespace stagedoor

#endif  // STAGEDOOR_SERVER_RPC_WIRE_H_

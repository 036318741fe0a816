#ifndef STAGEDOOR_SERVER_QUERY_SOCKET_REPLY_ANSWER_H_
#define STAGEDOOR_SERVER_QUERY_SOCKET_REPLY_ANSWER_H_

#include <grpcpp/support/byte_buffer.h>

#include "absl/status/status.h"
#include "base/request_context.h"
#include "server/converters/array_placer.h"
#include "stagedoor/v1/query.pb.h"

namespace stagedoor::server {

// Parses and consumes the bytes of a reply, and moves its large arrays to places of `placer` unless
// that is null. After an error, the places that were taken are still to be taken back. INTERNAL for
// bytes that are not a reply.
absl::Status ReadReply(RequestContext& context, grpc::ByteBuffer* bytes, ArrayPlacer* placer,
                       v1::BatchGetValuesResponse* out);

}  // namespace stagedoor::server

#endif  // STAGEDOOR_SERVER_QUERY_SOCKET_REPLY_ANSWER_H_

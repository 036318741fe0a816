#ifndef STAGEDOOR_SERVER_RPC_RAW_STREAM_H_
#define STAGEDOOR_SERVER_RPC_RAW_STREAM_H_

#include <google/protobuf/message_lite.h>
#include <grpcpp/support/byte_buffer.h>

#include <string>
#include <utility>

#include "absl/status/statusor.h"
#include "server/rpc/chunked_stream.h"
#include "server/rpc/response_stream.h"

namespace stagedoor {

// The wire form of a message followed by its last field, `bytes` of number `field`: the message is
// serialized, the chunk's bytes are not copied and stay pinned until they were sent.
grpc::ByteBuffer MakeRawMessage(const google::protobuf::MessageLite& message, int field,
                                PinnedChunk chunk);

// A message that is in wire form already; not copied, chunks stay pinned as above.
grpc::ByteBuffer MakeRawMessage(std::string wire);
grpc::ByteBuffer MakeRawMessage(WirePieces pieces);

// The messages of a stream that makes them in wire form: std::string or WirePieces.
template <typename Wire>
class WireStream final : public ResponseStream<grpc::ByteBuffer> {
 public:
  explicit WireStream(ResponseStreamPtr<Wire> stream) : stream_(std::move(stream)) {}

  absl::StatusOr<bool> Next(RequestContext& context, grpc::ByteBuffer* out) override {
    Wire wire;
    absl::StatusOr<bool> more = stream_->Next(context, &wire);
    if (more.ok() && *more) *out = MakeRawMessage(std::move(wire));
    return more;
  }
  bool AtEnd() const override { return stream_->AtEnd(); }

 private:
  const ResponseStreamPtr<Wire> stream_;
};

// The messages of a ChunkedStream in wire form.
template <typename Response>
class RawStream final : public ResponseStream<grpc::ByteBuffer> {
 public:
  RawStream(ChunkedStreamPtr<Response> stream, int field)
      : stream_(std::move(stream)), field_(field) {}

  absl::StatusOr<bool> Next(RequestContext& context, grpc::ByteBuffer* out) override {
    Response response;
    PinnedChunk chunk;
    absl::StatusOr<bool> more = stream_->Next(context, &response, &chunk);
    if (more.ok() && *more) *out = MakeRawMessage(response, field_, std::move(chunk));
    return more;
  }
  bool AtEnd() const override { return stream_->AtEnd(); }

 private:
  const ChunkedStreamPtr<Response> stream_;
  const int field_;
};

}  // namespace stagedoor

#endif  // STAGEDOOR_SERVER_RPC_RAW_STREAM_H_

#ifndef STAGEDOOR_SERVER_RPC_RAW_STREAM_H_
#define STAGEDOOR_SERVER_RPC_RAW_STREAM_H_

#include <grpcpp/support/byte_buffer.h>

#include <memory>
#include <string>
#include <utility>

#include "absl/status/statusor.h"
#include "base/status_macros.h"
#include "server/rpc/chunked_stream.h"
#include "server/rpc/response_stream.h"
#include "server/rpc/wire.h"

namespace stagedoor {

// A stream of messages in wire form, as they are sent.
using RawStreamPtr = ResponseStreamPtr<grpc::ByteBuffer>;

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

// The messages of a stream in wire form.
template <typename Response>
class MessageStream final : public ResponseStream<grpc::ByteBuffer> {
 public:
  explicit MessageStream(ResponseStreamPtr<Response> stream) : stream_(std::move(stream)) {}

  absl::StatusOr<bool> Next(RequestContext& context, grpc::ByteBuffer* out) override {
    Response response;
    absl::StatusOr<bool> more = stream_->Next(context, &response);
    if (!more.ok() || !*more) return more;
    SD_ASSIGN_OR_RETURN(*out, WriteMessage(response));
    return more;
  }
  bool AtEnd() const override { return stream_->AtEnd(); }

 private:
  const ResponseStreamPtr<Response> stream_;
};

// The same, by what a handler returns.
template <typename Response>
RawStreamPtr ToRaw(ResponseStreamPtr<Response> stream) {
  return std::make_unique<MessageStream<Response>>(std::move(stream));
}
template <typename Response>
RawStreamPtr ToRaw(ChunkedStreamPtr<Response> stream) {
  return std::make_unique<RawStream<Response>>(std::move(stream), Response::kDataFieldNumber);
}
inline RawStreamPtr ToRaw(ResponseStreamPtr<std::string> stream) {
  return std::make_unique<WireStream<std::string>>(std::move(stream));
}
inline RawStreamPtr ToRaw(ResponseStreamPtr<WirePieces> stream) {
  return std::make_unique<WireStream<WirePieces>>(std::move(stream));
}

}  // namespace stagedoor

#endif  // STAGEDOOR_SERVER_RPC_RAW_STREAM_H_

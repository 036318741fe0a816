#ifndef STAGEDOOR_SERVER_RPC_WIRE_STREAM_H_
#define STAGEDOOR_SERVER_RPC_WIRE_STREAM_H_

#include <grpcpp/support/byte_buffer.h>

#include <functional>
#include <memory>
#include <utility>

#include "absl/status/statusor.h"
#include "base/request_context.h"
#include "base/reservation.h"
#include "base/status_macros.h"
#include "server/rpc/message_fragments.h"
#include "server/rpc/message_serialization.h"
#include "server/rpc/response_stream.h"
#include "server/rpc/wire_writer.h"

namespace stagedoor::server {

// A stream of serialized messages, ready to be sent.
using WireStreamPtr = ResponseStreamPtr<grpc::ByteBuffer>;

inline absl::StatusOr<grpc::ByteBuffer> ToByteBuffer(const google::protobuf::MessageLite& message) {
  return SerializeMessage(message);
}
inline absl::StatusOr<grpc::ByteBuffer> ToByteBuffer(WireWriter writer) {
  return std::move(writer).Finish();
}

// Serializes the messages of a handler's stream, and splits those that are too large for a client.
// `Response` is a protobuf message or a WireWriter.
template <typename Response>
class WireStream final : public ResponseStream<grpc::ByteBuffer> {
 public:
  explicit WireStream(ResponseStreamPtr<Response> stream) : stream_(std::move(stream)) {}

  absl::StatusOr<bool> Next(RequestContext& context, grpc::ByteBuffer* out) override {
    if (fragments_.empty()) {
      Response response;
      absl::StatusOr<bool> more = stream_->Next(context, &response);
      if (!more.ok() || !*more) return more;
      SD_ASSIGN_OR_RETURN(*out, ToByteBuffer(std::move(response)));
      if (out->Length() <= kMaxMessageBytes) return more;
      reserved_ = Reservation(context);
      SD_RETURN_IF_ERROR(reserved_.Grow(out->Length(), "a message in fragments"));
      SD_RETURN_IF_ERROR(fragments_.Put(*out));
    }
    *out = fragments_.Next();
    if (fragments_.empty()) reserved_.Release();
    return true;
  }
  bool AtEnd() const override { return fragments_.empty() && stream_->AtEnd(); }
  bool MayWait() const override { return stream_->MayWait(); }
  bool WaitForMore(const std::function<void()>& wake) override {
    return fragments_.empty() && stream_->WaitForMore(wake);
  }

 private:
  MessageFragments fragments_;
  Reservation reserved_;  // for fragments_
  const ResponseStreamPtr<Response> stream_;
};

template <typename Response>
WireStreamPtr ToWireStream(ResponseStreamPtr<Response> stream) {
  return std::make_unique<WireStream<Response>>(std::move(stream));
}

}  // namespace stagedoor::server

#endif  // STAGEDOOR_SERVER_RPC_WIRE_STREAM_H_

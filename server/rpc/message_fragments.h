#ifndef STAGEDOOR_SERVER_RPC_MESSAGE_FRAGMENTS_H_
#define STAGEDOOR_SERVER_RPC_MESSAGE_FRAGMENTS_H_

#include <grpcpp/support/byte_buffer.h>
#include <grpcpp/support/slice.h>

#include <cstddef>
#include <vector>

#include "absl/status/status.h"

namespace stagedoor::server {

// The number of the field `stream_parts` in all messages of streams.
inline constexpr int kStreamPartsField = 15;

// The largest message that a gRPC client accepts by default. No message of a stream is larger.
inline constexpr size_t kMaxMessageBytes = size_t{4} << 20;
// The bytes in each fragment of a larger message.
inline constexpr size_t kFragmentBytes = size_t{1} << 20;

// Splits a message of a stream that is too large for gRPC's default limit into messages with a
// MessageFragment each (see streams.proto), without copying it. Not thread-safe.
class MessageFragments {
 public:
  // Takes the next message. Requires empty(). INTERNAL if gRPC cannot read its own buffer.
  absl::Status Put(const grpc::ByteBuffer& message);

  bool empty() const { return left_ == 0; }
  // The message of the next fragment. Requires !empty().
  grpc::ByteBuffer Next();

 private:
  std::vector<grpc::Slice> slices_;
  size_t slice_ = 0;   // the slice of the next byte
  size_t offset_ = 0;  // the next byte in that slice
  size_t left_ = 0;    // bytes from there to the end
  bool first_ = false;
};

}  // namespace stagedoor::server

#endif  // STAGEDOOR_SERVER_RPC_MESSAGE_FRAGMENTS_H_

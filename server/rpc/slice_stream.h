#ifndef STAGEDOOR_SERVER_RPC_SLICE_STREAM_H_
#define STAGEDOOR_SERVER_RPC_SLICE_STREAM_H_

#include <google/protobuf/io/zero_copy_stream.h>
#include <google/protobuf/message_lite.h>
#include <grpcpp/support/byte_buffer.h>
#include <grpcpp/support/slice.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace stagedoor::server {

// Serializes a message whose large texts and bytes are sent from where they are, without a copy.
// One that consists of other things, too, is copied, as these would take memory until it was sent.
// Not thread-safe.
//
//   SliceStream stream(message);
//   *out = std::move(stream).Serialize();
class SliceStream final : public google::protobuf::io::ZeroCopyOutputStream {
 public:
  // The message must not change any more. It lives until what is not copied was sent.
  explicit SliceStream(std::shared_ptr<const google::protobuf::MessageLite> message)
      : message_(std::move(message)) {}

  // ByteSizeLong of the message must have been called. Exactly once.
  grpc::ByteBuffer Serialize() &&;

  // The interface that protobuf writes to.
  bool Next(void** data, int* size) override;
  void BackUp(int count) override;
  int64_t ByteCount() const override { return bytes_; }
  bool WriteAliasedRaw(const void* data, int size) override;
  bool AllowsAliasing() const override { return true; }

 private:
  // Turns what was copied into a slice.
  void Flush();
  // Copies what was not.
  void CopyAliased();

  const std::shared_ptr<const google::protobuf::MessageLite> message_;
  std::vector<grpc::Slice> slices_;
  std::vector<size_t> aliased_;  // the indices of slices that refer to the message
  int64_t aliased_bytes_ = 0;
  std::string copied_;  // follows the slices
  int64_t bytes_ = 0;
};

}  // namespace stagedoor::server

#endif  // STAGEDOOR_SERVER_RPC_SLICE_STREAM_H_

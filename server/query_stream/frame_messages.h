#ifndef STAGEDOOR_SERVER_QUERY_STREAM_FRAME_MESSAGES_H_
#define STAGEDOOR_SERVER_QUERY_STREAM_FRAME_MESSAGES_H_

#include <grpcpp/support/byte_buffer.h>

#include <cstddef>
#include <list>
#include <string>

#include "stagedoor/v1/frames.pb.h"

namespace stagedoor::server {

// The frames that wait to be sent as messages of gRPC. Frames that wait together are in one
// message, unless it becomes large. Not thread-safe.
class FrameMessages {
 public:
  // A message has more bytes only if it is a single frame.
  static constexpr size_t kMessageBytes = size_t{64} << 10;

  // Adds a frame of less than 2 GiB.
  void Add(const v1::ServerFrame& frame);

  bool empty() const { return messages_.empty(); }
  // The bytes that wait.
  size_t bytes() const { return bytes_; }

  // Takes the first message. There must be one.
  grpc::ByteBuffer Take();
  void Clear();

 private:
  std::list<std::string> messages_;  // needs no memory while it is empty
  size_t bytes_ = 0;
};

}  // namespace stagedoor::server

#endif  // STAGEDOOR_SERVER_QUERY_STREAM_FRAME_MESSAGES_H_

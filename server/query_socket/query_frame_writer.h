#ifndef STAGEDOOR_SERVER_QUERY_SOCKET_QUERY_FRAME_WRITER_H_
#define STAGEDOOR_SERVER_QUERY_SOCKET_QUERY_FRAME_WRITER_H_

#include <cstddef>
#include <string>
#include <string_view>

#include "stagedoor/v1/frames.pb.h"

namespace stagedoor::server {

// Appends a frame of less than 2 GiB to a message of frames.
void AppendFrame(const v1::ServerFrame& frame, std::string* message);

// The bytes of frames that wait to be sent, as FrameReader takes them: frames that wait together
// are in one message, unless it becomes large. Not thread-safe.
class QueryFrameWriter {
 public:
  // Adds a frame of less than 2 GiB.
  void Add(const v1::ServerFrame& frame);

  // The bytes to send next, and what was sent of them. Frames may be added in between, to a message
  // of their own if a part of the last one was sent.
  std::string_view pending() const { return std::string_view(bytes_).substr(sent_); }
  void Sent(size_t bytes);

  bool empty() const { return sent_ == bytes_.size(); }
  // The memory in use.
  size_t capacity() const { return bytes_.capacity(); }

 private:
  std::string bytes_;
  size_t sent_ = 0;
  size_t message_ = 0;  // where the last message begins, if it may grow
  bool open_ = false;   // whether it may
};

}  // namespace stagedoor::server

#endif  // STAGEDOOR_SERVER_QUERY_SOCKET_QUERY_FRAME_WRITER_H_

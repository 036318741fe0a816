#ifndef STAGEDOOR_SERVER_QUERY_SOCKET_TESTING_FRAME_RECEIVER_H_
#define STAGEDOOR_SERVER_QUERY_SOCKET_TESTING_FRAME_RECEIVER_H_

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "stagedoor/v1/frames.pb.h"

namespace stagedoor::server {

// The client's end of a channel of query frames, whatever carries them. Not thread-safe.
class FrameReceiver {
 public:
  virtual ~FrameReceiver() = default;

  // The next frame. Nothing at the end of the channel, and after some seconds without a frame.
  virtual std::optional<v1::ServerFrame> Receive() = 0;

  // The answers that come next, in the order of their IDs. Other frames are skipped.
  std::vector<v1::Answer> ReceiveAnswers(size_t count);
  // The message of the Goodbye that ends the channel.
  std::string Farewell();
};

}  // namespace stagedoor::server

#endif  // STAGEDOOR_SERVER_QUERY_SOCKET_TESTING_FRAME_RECEIVER_H_

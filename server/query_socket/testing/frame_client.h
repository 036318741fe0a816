#ifndef STAGEDOOR_SERVER_QUERY_SOCKET_TESTING_FRAME_CLIENT_H_
#define STAGEDOOR_SERVER_QUERY_SOCKET_TESTING_FRAME_CLIENT_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/frame_reader.h"
#include "server/query_socket/testing/frame_receiver.h"
#include "stagedoor/v1/frames.pb.h"

namespace stagedoor::server {

// The client's end of a query socket, as a test needs it: it sends whatever bytes it is given. Not
// thread-safe.
class FrameClient final : public FrameReceiver {
 public:
  // Connects to the socket at a path. The test fails if that fails.
  explicit FrameClient(const std::string& path);
  ~FrameClient() override;
  FrameClient(const FrameClient&) = delete;
  FrameClient& operator=(const FrameClient&) = delete;

  // The bytes of a message with these frames, with its length.
  static std::string MessageOf(const v1::ClientFrames& frames);

  // Sends bytes, as many as the daemon takes without waiting, and returns their number.
  size_t SendBytes(std::string_view bytes);
  void Send(const v1::ClientFrames& frames);

  std::optional<v1::ServerFrame> Receive() override;

  // Sends bytes together with a descriptor.
  void SendWithDescriptor(std::string_view bytes, int fd);
  int fd() const { return fd_; }

 private:
  int fd_ = -1;
  FrameReader reader_{size_t{1} << 30};
};

}  // namespace stagedoor::server

#endif  // STAGEDOOR_SERVER_QUERY_SOCKET_TESTING_FRAME_CLIENT_H_

#ifndef STAGEDOOR_SERVER_LISTEN_SOCKET_LISTENER_H_
#define STAGEDOOR_SERVER_LISTEN_SOCKET_LISTENER_H_

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "absl/status/statusor.h"
#include "server/listen/listen_address.h"

namespace stagedoor::server {

// Accepts the connections of an address, on a thread of its own, in place of gRPC. gRPC neither
// tells who connected to a Unix socket, nor limits connections, and when the process has no more
// descriptors, it stops accepting for good.
class SocketListener {
 public:
  // Receives a connected socket that does not block and is closed on exec, and owns it. Called on
  // the listener's thread.
  using OnConnection = std::function<void(int fd)>;

  // Closes a connection that could send nothing for `stall`, because its client does not read: gRPC
  // cannot end a call, even a cancelled one, while its bytes are stuck. Only the system can do
  // that, and only for TCP.
  static void CloseIfStalled(int fd, std::chrono::milliseconds stall);

  // Listens on `address`: for a Unix socket, the caller holds a UnixSocketLock; a host name is
  // resolved, and all its addresses get the same port. The error is the reason of the system:
  // "Address already in use".
  static absl::StatusOr<std::unique_ptr<SocketListener>> Listen(const ListenAddress& address,
                                                                OnConnection on_connection);
  // Stops accepting, and waits for a running OnConnection. Does not remove a Unix socket.
  ~SocketListener();
  SocketListener(const SocketListener&) = delete;
  SocketListener& operator=(const SocketListener&) = delete;

  // The port that was chosen; 0 for a Unix socket.
  uint16_t port() const { return port_; }

 private:
  struct Sockets;

  SocketListener(Sockets& sockets, OnConnection on_connection);
  void Run();
  // Waits for connections or the end, or only for the end if `listening` is false. False once the
  // listener stops.
  bool Wait(bool listening, int timeout_ms);
  // Accepts one connection of each socket that has any. False after an error that may last, such as
  // too many open files.
  bool AcceptWaiting();

  const std::vector<int> listen_fds_;
  const int stop_fd_;  // readable when the listener stops
  const uint16_t port_;
  const OnConnection on_connection_;
  std::thread thread_;
};

}  // namespace stagedoor::server

#endif  // STAGEDOOR_SERVER_LISTEN_SOCKET_LISTENER_H_

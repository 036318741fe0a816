#ifndef STAGEDOOR_SERVER_ACCESS_UNIX_SOCKET_LISTENER_H_
#define STAGEDOOR_SERVER_ACCESS_UNIX_SOCKET_LISTENER_H_

#include <functional>
#include <memory>
#include <string>
#include <thread>

#include "absl/status/statusor.h"

namespace stagedoor::server {

// Accepts the connections of a Unix socket, on a thread of its own.
class UnixSocketListener {
 public:
  // Receives a connected socket that does not block and is closed on exec, and owns it. Called on
  // the listener's thread.
  using OnConnection = std::function<void(int fd)>;

  // Listens on `path`, for which the caller holds a UnixSocketLock. PERMISSION_DENIED with the
  // reason if that fails.
  static absl::StatusOr<std::unique_ptr<UnixSocketListener>> Listen(const std::string& path,
                                                                    OnConnection on_connection);
  // Stops accepting, and waits for a running OnConnection. Does not remove the socket.
  ~UnixSocketListener();
  UnixSocketListener(const UnixSocketListener&) = delete;
  UnixSocketListener& operator=(const UnixSocketListener&) = delete;

 private:
  UnixSocketListener(int listen_fd, int stop_fd, OnConnection on_connection);
  void Run();
  // False once the listener stops. `timeout_ms` as for poll.
  bool Wait(bool for_connections, int timeout_ms) const;

  const int listen_fd_;
  const int stop_fd_;  // readable when the listener stops
  const OnConnection on_connection_;
  std::thread thread_;
};

}  // namespace stagedoor::server

#endif  // STAGEDOOR_SERVER_ACCESS_UNIX_SOCKET_LISTENER_H_

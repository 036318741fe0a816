#include "server/access/unix_socket_listener.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstring>
#include <utility>

#include "base/status.h"

namespace stagedoor::server {
namespace {

constexpr int kBacklog = 1024;
constexpr int kRetryMs = 100;  // after an error, such as too many open files

// Closes what was opened, and returns why.
absl::Status CannotListen(const std::string& path, int error, int listen_fd, int stop_fd) {
  if (listen_fd >= 0) ::close(listen_fd);
  if (stop_fd >= 0) ::close(stop_fd);
  return PermissionDeniedError("cannot listen on unix:", Quoted(path), ": ", std::strerror(error));
}

}  // namespace

absl::StatusOr<std::unique_ptr<UnixSocketListener>> UnixSocketListener::Listen(
    const std::string& path, OnConnection on_connection) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path.empty() || path.size() >= sizeof(address.sun_path)) {
    return CannotListen(path, ENAMETOOLONG, -1, -1);
  }
  std::memcpy(address.sun_path, path.data(), path.size());
  const int listen_fd = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (listen_fd < 0) return CannotListen(path, errno, -1, -1);
  const int stop_fd = ::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  if (stop_fd < 0 ||
      ::bind(listen_fd, reinterpret_cast<const sockaddr*>(&address), sizeof(address)) != 0 ||
      ::listen(listen_fd, kBacklog) != 0) {
    return CannotListen(path, errno, listen_fd, stop_fd);
  }
  return std::unique_ptr<UnixSocketListener>(
      new UnixSocketListener(listen_fd, stop_fd, std::move(on_connection)));
}

UnixSocketListener::UnixSocketListener(int listen_fd, int stop_fd, OnConnection on_connection)
    : listen_fd_(listen_fd),
      stop_fd_(stop_fd),
      on_connection_(std::move(on_connection)),
      thread_([this] { Run(); }) {}

UnixSocketListener::~UnixSocketListener() {
  const uint64_t one = 1;
  while (::write(stop_fd_, &one, sizeof(one)) < 0 && errno == EINTR) {
  }
  thread_.join();
  ::close(listen_fd_);
  ::close(stop_fd_);
}

bool UnixSocketListener::Wait(bool for_connections, int timeout_ms) const {
  pollfd events[] = {{.fd = stop_fd_, .events = POLLIN},
                     {.fd = for_connections ? listen_fd_ : -1, .events = POLLIN}};
  ::poll(events, 2, timeout_ms);
  return events[0].revents == 0;
}

void UnixSocketListener::Run() {
  while (Wait(/*for_connections=*/true, -1)) {
    const int fd = ::accept4(listen_fd_, nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK);
    if (fd >= 0) {
      on_connection_(fd);
    } else if (errno != EINTR && errno != EAGAIN && errno != ECONNABORTED) {
      if (!Wait(/*for_connections=*/false, kRetryMs)) return;
    }
  }
}

}  // namespace stagedoor::server

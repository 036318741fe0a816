#include "server/store/redis_socket.h"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

#include "base/status.h"
#include "base/status_macros.h"

namespace stagedoor::server {
namespace {

absl::Status SocketError(std::string_view what, int error) {
  return UnavailableError(what, ": ", std::generic_category().message(error));
}

class PlainSocket final : public RedisSocket {
 public:
  explicit PlainSocket(int fd) : fd_(fd) {}
  ~PlainSocket() override { ::close(fd_); }
  PlainSocket(const PlainSocket&) = delete;
  PlainSocket& operator=(const PlainSocket&) = delete;

  absl::StatusOr<Progress> Read(std::span<char> buffer) override {
    const ssize_t read = ::recv(fd_, buffer.data(), buffer.size(), 0);
    if (read == 0) return UnavailableError("the server closed the connection");
    return Result(read, POLLIN);
  }

  absl::StatusOr<Progress> Write(std::string_view bytes) override {
    return Result(::send(fd_, bytes.data(), bytes.size(), MSG_NOSIGNAL), POLLOUT);
  }

  int fd() const override { return fd_; }

 private:
  static absl::StatusOr<Progress> Result(ssize_t done, short events) {
    if (done >= 0) return Progress{static_cast<size_t>(done), 0};
    if (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR) return Progress{0, events};
    return SocketError("the connection broke", errno);
  }

  const int fd_;
};

absl::Status WaitForConnect(int fd, const RedisWait& wait) {
  SD_ASSIGN_OR_RETURN(const bool ready, wait.For(fd, POLLOUT));
  if (!ready) return UnavailableError("no connection within ", wait.timeout().count(), " ms");
  int error = 0;
  socklen_t size = sizeof(error);
  if (::getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &size) != 0) error = errno;
  return error == 0 ? absl::OkStatus() : SocketError("cannot connect", error);
}

}  // namespace

absl::StatusOr<std::unique_ptr<RedisSocket>> ConnectSocket(std::string_view address,
                                                           const RedisWait& wait) {
  const auto* const target = reinterpret_cast<const sockaddr*>(address.data());
  const int fd = ::socket(target->sa_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (fd < 0) return SocketError("cannot open a socket", errno);
  auto socket = std::make_unique<PlainSocket>(fd);
  if (target->sa_family != AF_UNIX) {
    const int one = 1;
    ::setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
  }
  if (::connect(fd, target, static_cast<socklen_t>(address.size())) != 0) {
    if (errno != EINPROGRESS && errno != EINTR) return SocketError("cannot connect", errno);
    SD_RETURN_IF_ERROR(WaitForConnect(fd, wait));
  }
  return socket;
}

}  // namespace stagedoor::server

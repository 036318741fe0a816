#include "client/cc/socket_carrier.h"

#include <poll.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <vector>

#include "base/status.h"

namespace stagedoor {
namespace {

constexpr size_t kReadBytes = size_t{64} << 10;
constexpr size_t kMaxDescriptors = 253;  // of one message: SCM_MAX_FD

}  // namespace

absl::StatusOr<std::unique_ptr<SocketCarrier>> SocketCarrier::Connect(const std::string& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path.empty() || path.size() >= sizeof(address.sun_path)) {
    return InvalidArgumentError("the path of the query socket is too long");
  }
  path.copy(address.sun_path, path.size());
  const int fd = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (fd < 0) return UnavailableError("cannot open a socket: ", std::strerror(errno));
  std::unique_ptr<SocketCarrier> carrier(new SocketCarrier(fd));
  const timeval longest{.tv_sec = 0, .tv_usec = std::chrono::microseconds(kLongestRead).count()};
  ::setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &longest, sizeof(longest));
  if (::connect(fd, reinterpret_cast<const sockaddr*>(&address), sizeof(address)) != 0) {
    return UnavailableError("cannot connect to ", path, ": ", std::strerror(errno));
  }
  return carrier;
}

SocketCarrier::~SocketCarrier() { ::close(fd_); }

size_t SocketCarrier::Send(std::string_view messages) {
  size_t sent = 0;
  while (sent < messages.size()) {
    const ssize_t count =
        ::send(fd_, messages.data() + sent, messages.size() - sent, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) break;  // a broken connection is noticed by who reads
    sent += static_cast<size_t>(count);
  }
  return sent;
}

bool SocketCarrier::Await(Clock::time_point deadline, bool can_send) const {
  const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now()) +
                    std::chrono::milliseconds(1);
  const auto wait = std::clamp(left, std::chrono::milliseconds(0), kLongestRead);
  pollfd socket{.fd = fd_, .events = POLLIN, .revents = 0};
  if (can_send) socket.events |= POLLOUT;
  return ::poll(&socket, 1, static_cast<int>(wait.count())) > 0 && (socket.revents & ~POLLOUT) != 0;
}

bool SocketCarrier::Read(Clock::time_point deadline, bool can_send, FrameReader& reader,
                         SharedSegments& segments) {
  // Without a deadline soon or bytes to send, the read itself waits.
  const bool waits = can_send || deadline - Clock::now() < kLongestRead;
  if (waits && !Await(deadline, can_send)) return true;
  char bytes[kReadBytes];
  const ssize_t count = Receive(bytes, sizeof(bytes), waits ? MSG_DONTWAIT : 0, segments);
  if (count == 0) return false;
  if (count < 0) return errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR;
  reader.Feed(std::string_view(bytes, static_cast<size_t>(count)));
  return true;
}

ssize_t SocketCarrier::Receive(char* bytes, size_t size, int flags,
                               SharedSegments& segments) const {
  iovec part{.iov_base = bytes, .iov_len = size};
  alignas(cmsghdr) char control[CMSG_SPACE(kMaxDescriptors * sizeof(int))];
  msghdr message{};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  message.msg_control = control;
  message.msg_controllen = sizeof(control);
  const ssize_t count = ::recvmsg(fd_, &message, flags | MSG_CMSG_CLOEXEC);
  if (count < 0) return count;
  for (cmsghdr* header = CMSG_FIRSTHDR(&message); header != nullptr;
       header = CMSG_NXTHDR(&message, header)) {
    if (header->cmsg_level != SOL_SOCKET || header->cmsg_type != SCM_RIGHTS) continue;
    std::vector<int> descriptors((header->cmsg_len - CMSG_LEN(0)) / sizeof(int));
    std::memcpy(descriptors.data(), CMSG_DATA(header), descriptors.size() * sizeof(int));
    for (const int fd : descriptors) segments.AddDescriptor(fd);
  }
  return count;
}

void SocketCarrier::Shutdown() { ::shutdown(fd_, SHUT_RDWR); }

}  // namespace stagedoor

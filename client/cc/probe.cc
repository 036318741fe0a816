#include "client/cc/probe.h"

#include <fcntl.h>
#include <netdb.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "client/cc/daemon_address.h"

namespace stagedoor {

Probe::~Probe() { Close(); }

void Probe::Close() {
  if (fd_ >= 0) ::close(fd_);
  fd_ = -1;
}

bool Probe::Await(short events) const {  // NOLINT(google-runtime-int)
  for (;;) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline_ - Clock::now());
    if (left.count() <= 0) return false;
    pollfd waiting = {.fd = fd_, .events = events, .revents = 0};
    const int ready =
        ::poll(&waiting, 1, static_cast<int>(std::min<int64_t>(left.count(), 60'000)));
    if (ready > 0) return true;
    if (ready < 0 && errno != EINTR) return false;
  }
}

Probe::Connected Probe::ConnectTo(int family, const void* address, unsigned size) {
  Close();
  fd_ = ::socket(family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  if (fd_ < 0) return Connected::kNo;
  int error = ::connect(fd_, static_cast<const sockaddr*>(address), size) == 0 ? 0 : errno;
  if (error == EINPROGRESS) {
    if (!Await(POLLOUT)) return Connected::kNo;
    socklen_t length = sizeof(error);
    if (::getsockopt(fd_, SOL_SOCKET, SO_ERROR, &error, &length) != 0) error = errno;
  }
  if (error == 0) return Connected::kYes;
  return error == ECONNREFUSED || error == ENOENT ? Connected::kRefused : Connected::kNo;
}

Probe::Connected Probe::ConnectToPath(const std::string& path) {
  sockaddr_un address = {};
  address.sun_family = AF_UNIX;
  if (path.size() >= sizeof(address.sun_path)) return Connected::kNo;
  std::memcpy(address.sun_path, path.data(), path.size());
  return ConnectTo(AF_UNIX, &address, sizeof(address));
}

Probe::Connected Probe::Connect(const std::string& address) {
  if (address.starts_with("unix:")) {
    std::string path = address.substr(5);
    if (path.starts_with("//")) path.erase(0, path.find_first_not_of('/') - 1);
    return ConnectToPath(path);
  }
  const auto [host, port] = SplitAddress(address);
  const addrinfo hints = {
      .ai_flags = AI_NUMERICSERV, .ai_family = AF_UNSPEC, .ai_socktype = SOCK_STREAM};
  addrinfo* found = nullptr;
  if (::getaddrinfo(host.c_str(), port.c_str(), &hints, &found) != 0) return Connected::kNo;
  Connected connected = Connected::kNo;
  for (const addrinfo* each = found; each != nullptr && connected != Connected::kYes;
       each = each->ai_next) {
    connected = ConnectTo(each->ai_family, each->ai_addr, each->ai_addrlen);
  }
  ::freeaddrinfo(found);
  return connected;
}

bool Probe::Send(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t sent = ::send(fd_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent >= 0) {
      bytes.remove_prefix(static_cast<size_t>(sent));
    } else if (errno == EAGAIN) {
      if (!Await(POLLOUT)) return false;
    } else if (errno != EINTR) {
      return false;
    }
  }
  return true;
}

Probe::Received Probe::Receive(std::string* bytes) {
  char part[4096];
  for (;;) {
    const ssize_t size = ::recv(fd_, part, sizeof(part), 0);
    if (size > 0) {
      bytes->append(part, static_cast<size_t>(size));
      return Received::kBytes;
    }
    if (size == 0) return Received::kEnd;
    if (errno == EAGAIN) {
      if (!Await(POLLIN)) return Received::kNothing;
    } else if (errno != EINTR) {
      return Received::kEnd;
    }
  }
}

}  // namespace stagedoor

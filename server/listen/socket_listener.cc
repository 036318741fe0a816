#include "server/listen/socket_listener.h"

#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <limits>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/status.h"
#include "base/status_macros.h"
#include "base/strings.h"
#include "server/listen/accept_error.h"

namespace stagedoor::server {
namespace {

constexpr int kBacklog = 1024;
constexpr int kPortAttempts = 10;
constexpr int kRetryMs = 100;  // after an error, such as too many open files

// NOT_FOUND for an address that the machine does not have.
absl::Status SystemError(int error) {
  const std::string_view why = std::strerror(error);
  const bool none = error == EADDRNOTAVAIL || error == EAFNOSUPPORT;
  return none ? NotFoundError(why) : UnavailableError(why);
}

void SetOption(int fd, int level, int option, int value) {
  ::setsockopt(fd, level, option, &value, sizeof(value));
}

bool IsWildcard(const sockaddr_in6& address) { return IN6_IS_ADDR_UNSPECIFIED(&address.sin6_addr); }

void SetPort(sockaddr& address, uint16_t port) {
  in_port_t& place = address.sa_family == AF_INET6
                         ? reinterpret_cast<sockaddr_in6&>(address).sin6_port
                         : reinterpret_cast<sockaddr_in&>(address).sin_port;
  place = htons(port);
}

uint16_t PortOf(int fd) {
  sockaddr_storage address{};
  socklen_t size = sizeof(address);
  if (::getsockname(fd, reinterpret_cast<sockaddr*>(&address), &size) != 0) return 0;
  return ntohs(address.ss_family == AF_INET6
                   ? reinterpret_cast<const sockaddr_in6*>(&address)->sin6_port
                   : reinterpret_cast<const sockaddr_in*>(&address)->sin_port);
}

}  // namespace

// The listening sockets; closes those that are not taken.
struct SocketListener::Sockets {
  std::vector<int> fds;
  uint16_t port = 0;
  int stop_fd = -1;

  Sockets() = default;
  Sockets(const Sockets&) = delete;
  Sockets& operator=(const Sockets&) = delete;
  ~Sockets() {
    CloseAll();
    if (stop_fd >= 0) ::close(stop_fd);
  }

  absl::Status Add(const sockaddr* address, socklen_t size) {
    const int fd = ::socket(address->sa_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (fd < 0) return SystemError(errno);
    if (address->sa_family != AF_UNIX) SetOption(fd, SOL_SOCKET, SO_REUSEADDR, 1);
    // "[::]" also accepts clients that use IPv4.
    if (address->sa_family == AF_INET6) {
      const bool all = IsWildcard(*reinterpret_cast<const sockaddr_in6*>(address));
      SetOption(fd, IPPROTO_IPV6, IPV6_V6ONLY, all ? 0 : 1);
    }
    if (::bind(fd, address, size) != 0 || ::listen(fd, kBacklog) != 0) {
      const int error = errno;
      ::close(fd);
      return SystemError(error);
    }
    fds.push_back(fd);
    if (address->sa_family != AF_UNIX) port = PortOf(fd);
    return absl::OkStatus();
  }

  absl::Status AddUnix(const std::string& path) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    if (path.empty() || path.size() >= sizeof(address.sun_path)) return SystemError(ENAMETOOLONG);
    std::memcpy(address.sun_path, path.data(), path.size());
    return Add(reinterpret_cast<const sockaddr*>(&address), sizeof(address));
  }

  absl::Status AddTcp(const ListenAddress& address) {
    absl::Status added = AddHost(address);
    // "[::]" means all addresses of the machine, also if it has none of IPv6.
    if (added.code() == absl::StatusCode::kNotFound && address.host == "::") {
      added = AddHost({.host = "0.0.0.0", .port = address.port});
    }
    return added;
  }

  absl::Status AddHost(const ListenAddress& address) {
    addrinfo hints{};
    hints.ai_socktype = SOCK_STREAM;
    hints.ai_flags = AI_PASSIVE | AI_NUMERICSERV;
    addrinfo* found = nullptr;
    const int failed =
        ::getaddrinfo(address.host.c_str(), Concat(address.port).c_str(), &hints, &found);
    if (failed != 0) return UnavailableError(std::string_view(::gai_strerror(failed)));
    const std::unique_ptr<addrinfo, void (*)(addrinfo*)> owned(found, ::freeaddrinfo);
    absl::Status added = AddAll(*found, address.port);
    // The port that the system chose for one address may be taken for another.
    for (int i = 1; !added.ok() && address.port == 0 && i < kPortAttempts; ++i) {
      added = AddAll(*found, address.port);
    }
    return added;
  }

  // Listens on all addresses of a name that the machine has. Further ones get the port that was
  // chosen for the first.
  absl::Status AddAll(const addrinfo& first, uint16_t wanted_port) {
    CloseAll();
    port = wanted_port;
    std::vector<std::string> known;  // a name may have an address twice
    for (const addrinfo* one = &first; one != nullptr; one = one->ai_next) {
      if (one->ai_family != AF_INET && one->ai_family != AF_INET6) continue;
      SetPort(*one->ai_addr, 0);
      const std::string bytes(reinterpret_cast<const char*>(one->ai_addr), one->ai_addrlen);
      if (std::find(known.begin(), known.end(), bytes) != known.end()) continue;
      SetPort(*one->ai_addr, port);
      const absl::Status added = Add(one->ai_addr, one->ai_addrlen);
      // Machines without IPv6 may still name "::1" for "localhost".
      const bool is_only_one = one->ai_next == nullptr && fds.empty();
      if (!added.ok() && (is_only_one || added.code() != absl::StatusCode::kNotFound)) return added;
      known.push_back(bytes);
    }
    return fds.empty() ? SystemError(EADDRNOTAVAIL) : absl::OkStatus();
  }

  void CloseAll() {
    for (const int fd : std::exchange(fds, {})) ::close(fd);
  }
};

void SocketListener::CloseIfStalled(int fd, std::chrono::milliseconds stall) {
  const auto most = static_cast<int64_t>(std::numeric_limits<int>::max());
  SetOption(fd, IPPROTO_TCP, TCP_USER_TIMEOUT,
            static_cast<int>(std::min<int64_t>(stall.count(), most)));
}

absl::StatusOr<std::unique_ptr<SocketListener>> SocketListener::Listen(const ListenAddress& address,
                                                                       OnConnection on_connection) {
  Sockets sockets;
  SD_RETURN_IF_ERROR(address.is_unix() ? sockets.AddUnix(address.socket_path)
                                       : sockets.AddTcp(address));
  sockets.stop_fd = ::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  if (sockets.stop_fd < 0) return SystemError(errno);
  return std::unique_ptr<SocketListener>(new SocketListener(sockets, std::move(on_connection)));
}

SocketListener::SocketListener(Sockets& sockets, OnConnection on_connection)
    : listen_fds_(std::exchange(sockets.fds, {})),
      stop_fd_(std::exchange(sockets.stop_fd, -1)),
      port_(sockets.port),
      on_connection_(std::move(on_connection)),
      thread_([this] { Run(); }) {}

SocketListener::~SocketListener() {
  const uint64_t one = 1;
  while (::write(stop_fd_, &one, sizeof(one)) < 0 && errno == EINTR) {
  }
  thread_.join();
  for (const int fd : listen_fds_) ::close(fd);
  ::close(stop_fd_);
}

bool SocketListener::Wait(bool listening, int timeout_ms) {
  std::vector<pollfd> events = {{.fd = stop_fd_, .events = POLLIN}};
  if (listening) {
    for (const int fd : listen_fds_) events.push_back({.fd = fd, .events = POLLIN});
  }
  ::poll(events.data(), events.size(), timeout_ms);
  return events.front().revents == 0;
}

bool SocketListener::AcceptWaiting() {
  for (const int listen_fd : listen_fds_) {
    const int fd = ::accept4(listen_fd, nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK);
    if (fd >= 0) {
      SetOption(fd, IPPROTO_TCP, TCP_NODELAY, 1);  // fails for a Unix socket, which needs none
      on_connection_(fd);
    } else if (IsExhaustion(errno)) {
      return false;
    }
  }
  return true;
}

void SocketListener::Run() {
  while (Wait(/*listening=*/true, -1)) {
    if (AcceptWaiting()) continue;
    if (!Wait(/*listening=*/false, kRetryMs)) return;
  }
}

}  // namespace stagedoor::server

#include "server/metrics/metrics_server.h"

#include <netdb.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <list>
#include <utility>
#include <vector>

#include "base/status.h"
#include "base/status_macros.h"
#include "server/listen/accept_error.h"
#include "server/metrics/metrics_connection.h"

namespace stagedoor::server {
namespace {

using Clock = std::chrono::steady_clock;

// The descriptors that the server waits for, besides those of connections.
struct OwnDescriptors {
  int stop, wake, listen;
};

void Signal(int event_fd) {
  const uint64_t one = 1;
  (void)!::write(event_fd, &one, sizeof(one));
}

// The open connections, oldest first.
class Connections {
 public:
  Connections(const HttpRoutes& routes, const OwnDescriptors& own) : routes_(routes), own_(own) {}

  // Waits for activity on any connection or the server's own descriptors, and handles it. False if
  // the server is to stop.
  bool Step() {
    // A connection that cannot be accepted would make the descriptor readable all the time.
    const bool accepts = !std::exchange(exhausted_, false);
    const short wanted = accepts ? POLLIN : 0;
    std::vector<pollfd> polled = {{.fd = own_.stop, .events = POLLIN, .revents = 0},
                                  {.fd = own_.wake, .events = POLLIN, .revents = 0},
                                  {.fd = own_.listen, .events = wanted, .revents = 0}};
    const size_t first = polled.size();
    for (const MetricsConnection& c : open_) {
      polled.push_back({.fd = c.fd(), .events = c.events(), .revents = 0});
    }
    ::poll(polled.data(), polled.size(), open_.empty() && accepts ? -1 : kLookMilliseconds);
    if (polled[0].revents != 0) return false;
    const bool woken = polled[1].revents != 0;
    uint64_t count;
    if (woken) (void)!::read(own_.wake, &count, sizeof(count));
    size_t i = first;
    for (auto it = open_.begin(); it != open_.end(); ++i) {
      const bool active = polled[i].revents != 0 || (woken && it->is_streaming());
      const bool over = Clock::now() >= it->deadline() || (active && !it->Continue(routes_));
      it = over ? open_.erase(it) : std::next(it);
    }
    if (polled[2].revents != 0) Accept();
    return true;
  }

 private:
  static constexpr int kLookMilliseconds = 200;

  void Accept() {
    const int fd = ::accept4(own_.listen, nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK);
    if (fd < 0) {
      if (!IsExhaustion(errno)) return;
      // The oldest connection is closed to free a descriptor.
      exhausted_ = open_.empty();
      if (!exhausted_) CloseOldest();
      return;
    }
    if (open_.size() == MetricsServer::kMaxConnections) CloseOldest();
    open_.emplace_back(fd, Clock::now() + MetricsServer::kConnectionTimeout,
                       [wake = own_.wake] { Signal(wake); });
  }

  // Closes the oldest connection without a stream, or if all have one, the oldest.
  void CloseOldest() {
    const auto page = std::find_if(open_.begin(), open_.end(),
                                   [](const MetricsConnection& c) { return !c.is_streaming(); });
    open_.erase(page != open_.end() ? page : open_.begin());
  }

  const HttpRoutes& routes_;
  const OwnDescriptors own_;
  std::list<MetricsConnection> open_;
  bool exhausted_ = false;  // no descriptor or memory was left for a connection
};

bool IsAnyIpv6(const addrinfo& address) {
  return address.ai_family == AF_INET6 &&
         IN6_IS_ADDR_UNSPECIFIED(
             &reinterpret_cast<const sockaddr_in6*>(address.ai_addr)->sin6_addr);
}

absl::StatusOr<int> ListenOn(const addrinfo& address) {
  const int fd = ::socket(address.ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (fd < 0) return UnavailableError(std::strerror(errno));
  const int on = 1;
  ::setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
  const int off = 0;  // "[::]" also accepts clients that use IPv4, whatever the system's default
  if (IsAnyIpv6(address)) ::setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &off, sizeof(off));
  if (::bind(fd, address.ai_addr, address.ai_addrlen) == 0 && ::listen(fd, SOMAXCONN) == 0) {
    return fd;
  }
  const int error = errno;
  ::close(fd);
  return UnavailableError(std::strerror(error));
}

int PortOf(int fd) {
  sockaddr_storage address{};
  socklen_t size = sizeof(address);
  ::getsockname(fd, reinterpret_cast<sockaddr*>(&address), &size);
  return ntohs(address.ss_family == AF_INET6
                   ? reinterpret_cast<const sockaddr_in6&>(address).sin6_port
                   : reinterpret_cast<const sockaddr_in&>(address).sin_port);
}

absl::StatusOr<int> ListenOnHost(const std::string& host, int port) {
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = AI_PASSIVE | AI_NUMERICSERV;
  addrinfo* found = nullptr;
  const int failed = ::getaddrinfo(host.c_str(), Concat(port).c_str(), &hints, &found);
  if (failed != 0) return UnavailableError(::gai_strerror(failed));
  const std::unique_ptr<addrinfo, void (*)(addrinfo*)> owned(found, ::freeaddrinfo);
  return ListenOn(*found);
}

}  // namespace

absl::StatusOr<std::unique_ptr<MetricsServer>> MetricsServer::Start(const std::string& host,
                                                                    int port, HttpRoutes routes) {
  absl::StatusOr<int> fd = ListenOnHost(host, port);
  // "[::]" means all addresses of the machine, also if it has none of IPv6.
  if (!fd.ok() && host == "::") {
    const absl::StatusOr<int> of_ipv4 = ListenOnHost("0.0.0.0", port);
    if (of_ipv4.ok()) fd = of_ipv4;
  }
  if (!fd.ok()) return fd.status();
  const int stop_fd = ::eventfd(0, EFD_CLOEXEC);
  const int wake_fd = stop_fd < 0 ? -1 : ::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  if (wake_fd < 0) {
    const int error = errno;
    ::close(*fd);
    if (stop_fd >= 0) ::close(stop_fd);
    return UnavailableError(std::strerror(error));
  }
  return std::unique_ptr<MetricsServer>(
      new MetricsServer(*fd, stop_fd, wake_fd, PortOf(*fd), std::move(routes)));
}

MetricsServer::MetricsServer(int listen_fd, int stop_fd, int wake_fd, int port, HttpRoutes routes)
    : listen_fd_(listen_fd),
      stop_fd_(stop_fd),
      wake_fd_(wake_fd),
      port_(port),
      routes_(std::move(routes)),
      thread_([this] { Run(); }) {}

MetricsServer::~MetricsServer() {
  Signal(stop_fd_);
  thread_.join();
  ::close(listen_fd_);
  ::close(stop_fd_);
  ::close(wake_fd_);
}

void MetricsServer::Run() {
  Connections connections(routes_, {.stop = stop_fd_, .wake = wake_fd_, .listen = listen_fd_});
  while (connections.Step()) {
  }
}

}  // namespace stagedoor::server

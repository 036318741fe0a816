#include "server/metrics/metrics_server.h"

#include <netdb.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
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

// The open connections, oldest first.
class Connections {
 public:
  explicit Connections(const HttpRoutes& routes) : routes_(routes) {}

  // Waits for activity on any connection or the two descriptors, and handles it. False if `stop_fd`
  // is readable.
  bool Step(int listen_fd, int stop_fd) {
    // A connection that cannot be accepted would make the descriptor readable all the time.
    const bool accepts = !std::exchange(exhausted_, false);
    const short wanted = accepts ? POLLIN : 0;
    std::vector<pollfd> polled = {{.fd = stop_fd, .events = POLLIN, .revents = 0},
                                  {.fd = listen_fd, .events = wanted, .revents = 0}};
    for (const MetricsConnection& c : open_) {
      polled.push_back({.fd = c.fd(), .events = c.events(), .revents = 0});
    }
    ::poll(polled.data(), polled.size(), open_.empty() && accepts ? -1 : kLookMilliseconds);
    if (polled[0].revents != 0) return false;
    size_t i = 2;
    for (auto it = open_.begin(); it != open_.end(); ++i) {
      const bool over =
          Clock::now() >= it->deadline() || (polled[i].revents != 0 && !it->Continue(routes_));
      it = over ? open_.erase(it) : std::next(it);
    }
    if (polled[1].revents != 0) Accept(listen_fd);
    return true;
  }

 private:
  static constexpr int kLookMilliseconds = 200;

  void Accept(int listen_fd) {
    const int fd = ::accept4(listen_fd, nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK);
    if (fd < 0) {
      if (!IsExhaustion(errno)) return;
      // The oldest connection is closed to free a descriptor.
      exhausted_ = open_.empty();
      if (!exhausted_) open_.pop_front();
      return;
    }
    if (open_.size() == MetricsServer::kMaxConnections) open_.pop_front();
    open_.emplace_back(fd, Clock::now() + MetricsServer::kConnectionTimeout);
  }

  const HttpRoutes& routes_;
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
  if (stop_fd < 0) {
    const int error = errno;
    ::close(*fd);
    return UnavailableError(std::strerror(error));
  }
  return std::unique_ptr<MetricsServer>(
      new MetricsServer(*fd, stop_fd, PortOf(*fd), std::move(routes)));
}

MetricsServer::MetricsServer(int listen_fd, int stop_fd, int port, HttpRoutes routes)
    : listen_fd_(listen_fd),
      stop_fd_(stop_fd),
      port_(port),
      routes_(std::move(routes)),
      thread_([this] { Run(); }) {}

MetricsServer::~MetricsServer() {
  const uint64_t one = 1;
  (void)!::write(stop_fd_, &one, sizeof(one));
  thread_.join();
  ::close(listen_fd_);
  ::close(stop_fd_);
}

void MetricsServer::Run() {
  Connections connections(routes_);
  while (connections.Step(listen_fd_, stop_fd_)) {
  }
}

}  // namespace stagedoor::server

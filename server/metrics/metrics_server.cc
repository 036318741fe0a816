#include "server/metrics/metrics_server.h"

#include <netdb.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <exception>
#include <iterator>
#include <list>
#include <string_view>
#include <utility>
#include <vector>

#include "base/status.h"
#include "base/status_macros.h"

namespace stagedoor {
namespace {

using Clock = std::chrono::steady_clock;

std::string Answer(std::string_view status, std::string_view body) {
  return Concat("HTTP/1.1 ", status,
                "\r\nContent-Type: text/plain; version=0.0.4; charset=utf-8\r\nContent-Length: ",
                body.size(), "\r\nConnection: close\r\n\r\n", body);
}

// One client. It sends a request, gets an answer, and goes.
class Connection {
 public:
  Connection(int fd, Clock::time_point deadline) : fd_(fd), deadline_(deadline) {}
  ~Connection() { ::close(fd_); }
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  int fd() const { return fd_; }
  Clock::time_point deadline() const { return deadline_; }
  short events() const { return sent_ < answer_.size() ? POLLOUT : POLLIN; }

  // Does what can be done at once. False: it is over.
  bool Continue(const std::function<std::string()>& render) {
    return answer_.empty() ? Receive(render) : Send();
  }

 private:
  bool Receive(const std::function<std::string()>& render) {
    char buffer[2048];
    const ssize_t n = ::recv(fd_, buffer, sizeof(buffer), MSG_DONTWAIT);
    if (n < 0) return errno == EAGAIN || errno == EINTR;
    if (n == 0) return false;
    request_.append(buffer, static_cast<size_t>(n));
    if (request_.size() > MetricsServer::kMaxRequestBytes) {
      answer_ = Answer("431 Request Header Fields Too Large", "");
    } else if (request_.find("\r\n\r\n") != std::string::npos) {
      answer_ = AnswerTo(render);
    } else {
      return true;
    }
    return Send();
  }

  static std::string Rendered(const std::function<std::string()>& render) {
    try {
      return Answer("200 OK", render());
    } catch (const std::exception&) {  // no memory, say: that must not end the daemon
      return Answer("500 Internal Server Error", "");
    }
  }

  std::string AnswerTo(const std::function<std::string()>& render) const {
    const std::string_view line = std::string_view(request_).substr(0, request_.find("\r\n"));
    const bool get = line.substr(0, 4) == "GET ", head = line.substr(0, 5) == "HEAD ";
    if (!get && !head) return Answer("405 Method Not Allowed", "");
    std::string_view target = line.substr(get ? 4 : 5);
    target = target.substr(0, target.find(' '));
    if (target.substr(0, target.find('?')) != "/metrics") return Answer("404 Not Found", "");
    std::string answer = Rendered(render);
    if (head) answer.resize(answer.find("\r\n\r\n") + 4);
    return answer;
  }

  bool Send() {
    while (sent_ < answer_.size()) {
      const ssize_t n =
          ::send(fd_, answer_.data() + sent_, answer_.size() - sent_, MSG_DONTWAIT | MSG_NOSIGNAL);
      if (n < 0) return errno == EAGAIN || errno == EINTR;
      sent_ += static_cast<size_t>(n);
    }
    // What the client still sends would make the kernel reset the connection, answer and all.
    ::shutdown(fd_, SHUT_WR);
    char rest[4096];
    const ssize_t n = ::recv(fd_, rest, sizeof(rest), MSG_DONTWAIT);
    return n > 0 || (n < 0 && (errno == EAGAIN || errno == EINTR));
  }

  const int fd_;
  const Clock::time_point deadline_;
  std::string request_, answer_;
  size_t sent_ = 0;
};

// All connections, the oldest first.
class Connections {
 public:
  explicit Connections(const std::function<std::string()>& render) : render_(render) {}

  // Waits for something to do on any of them, or the two descriptors; false: `stop_fd` is readable.
  bool Step(int listen_fd, int stop_fd) {
    std::vector<pollfd> polled = {{.fd = stop_fd, .events = POLLIN, .revents = 0},
                                  {.fd = listen_fd, .events = POLLIN, .revents = 0}};
    for (const Connection& c : open_) {
      polled.push_back({.fd = c.fd(), .events = c.events(), .revents = 0});
    }
    ::poll(polled.data(), polled.size(), open_.empty() ? -1 : kLookMilliseconds);
    if (polled[0].revents != 0) return false;
    size_t i = 2;
    for (auto it = open_.begin(); it != open_.end(); ++i) {
      const bool over =
          Clock::now() >= it->deadline() || (polled[i].revents != 0 && !it->Continue(render_));
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
      // Out of descriptors, say: those that are open go first.
      if (!open_.empty() && errno != EAGAIN && errno != EINTR) open_.pop_front();
      return;
    }
    if (open_.size() == MetricsServer::kMaxConnections) open_.pop_front();
    open_.emplace_back(fd, Clock::now() + MetricsServer::kPatience);
  }

  const std::function<std::string()>& render_;
  std::list<Connection> open_;
};

absl::StatusOr<int> ListenOn(const addrinfo& address) {
  const int fd = ::socket(address.ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (fd < 0) return UnavailableError(std::strerror(errno));
  const int on = 1;
  ::setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
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

}  // namespace

absl::StatusOr<std::unique_ptr<MetricsServer>> MetricsServer::Start(
    const std::string& host, int port, std::function<std::string()> render) {
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = AI_PASSIVE | AI_NUMERICSERV;
  addrinfo* found = nullptr;
  const int failed = ::getaddrinfo(host.c_str(), Concat(port).c_str(), &hints, &found);
  if (failed != 0) return UnavailableError(::gai_strerror(failed));
  const std::unique_ptr<addrinfo, void (*)(addrinfo*)> owned(found, ::freeaddrinfo);
  SD_ASSIGN_OR_RETURN(const int fd, ListenOn(*found));
  return std::unique_ptr<MetricsServer>(
      new MetricsServer(fd, ::eventfd(0, EFD_CLOEXEC), PortOf(fd), std::move(render)));
}

MetricsServer::MetricsServer(int listen_fd, int stop_fd, int port,
                             std::function<std::string()> render)
    : listen_fd_(listen_fd),
      stop_fd_(stop_fd),
      port_(port),
      render_(std::move(render)),
      thread_([this] { Run(); }) {}

MetricsServer::~MetricsServer() {
  const uint64_t one = 1;
  (void)!::write(stop_fd_, &one, sizeof(one));
  thread_.join();
  ::close(listen_fd_);
  ::close(stop_fd_);
}

void MetricsServer::Run() {
  Connections connections(render_);
  while (connections.Step(listen_fd_, stop_fd_)) {
  }
}

}  // namespace stagedoor

#include "server/metrics/metrics_connection.h"

#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <exception>
#include <string_view>

#include "base/strings.h"

namespace stagedoor::server {
namespace {

std::string Rendered(const HttpAnswer& answer) {
  return Concat("HTTP/1.1 ", answer.status, "\r\nContent-Type: ", answer.content_type,
                "\r\nContent-Length: ", answer.body.size(), "\r\nConnection: close\r\n\r\n",
                answer.body);
}

std::string EmptyAnswer(std::string_view status) { return Rendered({.status = status}); }

std::string Rendered(const std::function<HttpAnswer()>& route) {
  try {
    return Rendered(route());
  } catch (const std::exception&) {  // for example out of memory, which must not end the daemon
    return EmptyAnswer("500 Internal Server Error");
  }
}

}  // namespace

MetricsConnection::~MetricsConnection() { ::close(fd_); }

short MetricsConnection::events() const { return sent_ < answer_.size() ? POLLOUT : POLLIN; }

bool MetricsConnection::Continue(const HttpRoutes& routes) {
  return answer_.empty() ? Receive(routes) : Send();
}

bool MetricsConnection::Receive(const HttpRoutes& routes) {
  char buffer[2048];
  const ssize_t n = ::recv(fd_, buffer, sizeof(buffer), MSG_DONTWAIT);
  if (n < 0) return errno == EAGAIN || errno == EINTR;
  if (n == 0) return false;
  request_.append(buffer, static_cast<size_t>(n));
  if (request_.size() > kMaxRequestBytes) {
    answer_ = EmptyAnswer("431 Request Header Fields Too Large");
  } else if (request_.find("\r\n\r\n") != std::string::npos) {
    answer_ = AnswerTo(routes);
  } else {
    return true;
  }
  return Send();
}

std::string MetricsConnection::AnswerTo(const HttpRoutes& routes) const {
  const std::string_view line = std::string_view(request_).substr(0, request_.find("\r\n"));
  const bool get = line.substr(0, 4) == "GET ", head = line.substr(0, 5) == "HEAD ";
  if (!get && !head) return EmptyAnswer("405 Method Not Allowed");
  std::string_view target = line.substr(get ? 4 : 5);
  target = target.substr(0, target.find(' '));
  const auto route = routes.find(target.substr(0, target.find('?')));
  if (route == routes.end()) return EmptyAnswer("404 Not Found");
  std::string answer = Rendered(route->second);
  if (head) answer.resize(answer.find("\r\n\r\n") + 4);
  return answer;
}

bool MetricsConnection::Send() {
  while (sent_ < answer_.size()) {
    const ssize_t n =
        ::send(fd_, answer_.data() + sent_, answer_.size() - sent_, MSG_DONTWAIT | MSG_NOSIGNAL);
    if (n < 0) return errno == EAGAIN || errno == EINTR;
    sent_ += static_cast<size_t>(n);
  }
  // Read what the client still sends so that the kernel does not reset the connection.
  ::shutdown(fd_, SHUT_WR);
  char rest[4096];
  const ssize_t n = ::recv(fd_, rest, sizeof(rest), MSG_DONTWAIT);
  return n > 0 || (n < 0 && (errno == EAGAIN || errno == EINTR));
}

}  // namespace stagedoor::server

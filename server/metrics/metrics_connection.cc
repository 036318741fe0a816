#include "server/metrics/metrics_connection.h"

#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <exception>
#include <optional>
#include <string_view>

#include "base/strings.h"
#include "server/metrics/http_request.h"

namespace stagedoor::server {
namespace {

std::string EmptyAnswer(std::string_view status) { return RenderedAnswer({.status = status}); }

constexpr std::string_view kServerError = "500 Internal Server Error";

std::string RenderedPage(const std::function<HttpAnswer()>& page) {
  try {
    return RenderedAnswer(page());
  } catch (const std::exception&) {  // for example out of memory, which must not end the daemon
    return EmptyAnswer(kServerError);
  }
}

}  // namespace

std::string RenderedAnswer(const HttpAnswer& answer) {
  return Concat("HTTP/1.1 ", answer.status, "\r\nContent-Type: ", answer.content_type,
                "\r\nContent-Length: ", answer.body.size(), "\r\nConnection: close\r\n\r\n",
                answer.body);
}

MetricsConnection::~MetricsConnection() { ::close(fd_); }

short MetricsConnection::events() const { return sent_ < answer_.size() ? POLLOUT : POLLIN; }

bool MetricsConnection::Continue(const HttpRoutes& routes) {
  if (stream_ != nullptr) return ContinueStream();
  return answers_ ? Send() : Receive(routes);
}

bool MetricsConnection::Receive(const HttpRoutes& routes) {
  char buffer[2048];
  const ssize_t n = ::recv(fd_, buffer, sizeof(buffer), MSG_DONTWAIT);
  if (n < 0) return errno == EAGAIN || errno == EINTR;
  if (n == 0) return false;
  request_.append(buffer, static_cast<size_t>(n));
  if (request_.size() > kMaxRequestBytes) {
    answers_ = true;
    answer_ = EmptyAnswer("431 Request Header Fields Too Large");
    return Send();
  }
  return request_.find("\r\n\r\n") == std::string::npos || Answer(routes);
}

// Begins to answer a request that is complete.
bool MetricsConnection::Answer(const HttpRoutes& routes) {
  answers_ = true;
  const std::string_view text = request_;
  const std::optional<HttpRequest> request =
      HttpRequest::Parse(text.substr(0, text.find("\r\n\r\n") + 2));
  const bool is_head = request && request->method() == "HEAD";
  if (!request || (request->method() != "GET" && !is_head)) {
    answer_ = EmptyAnswer(request ? "405 Method Not Allowed" : "400 Bad Request");
    return Send();
  }
  if (const auto stream = routes.streams.find(request->path()); stream != routes.streams.end()) {
    try {
      stream_ = stream->second(*request, wake_);
    } catch (const std::exception&) {
      answer_ = EmptyAnswer(kServerError);
      return Send();
    }
    return ContinueStream();
  }
  const auto page = routes.pages.find(request->path());
  answer_ = page == routes.pages.end() ? EmptyAnswer("404 Not Found") : RenderedPage(page->second);
  if (is_head) answer_.resize(answer_.find("\r\n\r\n") + 4);
  return Send();
}

bool MetricsConnection::Send() {
  while (sent_ < answer_.size()) {
    const ssize_t n =
        ::send(fd_, answer_.data() + sent_, answer_.size() - sent_, MSG_DONTWAIT | MSG_NOSIGNAL);
    if (n < 0) return errno == EAGAIN || errno == EINTR;
    sent_ += static_cast<size_t>(n);
    if (stream_ != nullptr) deadline_ = Clock::now() + kStallTimeout;
  }
  if (stream_ != nullptr) return true;
  // Read what the client still sends so that the kernel does not reset the connection.
  ::shutdown(fd_, SHUT_WR);
  char rest[4096];
  const ssize_t n = ::recv(fd_, rest, sizeof(rest), MSG_DONTWAIT);
  return n > 0 || (n < 0 && (errno == EAGAIN || errno == EINTR));
}

// Sends pieces as they become ready and the client reads them.
bool MetricsConnection::ContinueStream() {
  while (true) {
    if (!Send()) return false;
    if (sent_ < answer_.size()) return true;
    answer_.clear();
    sent_ = 0;
    switch (stream_->Next(&answer_)) {
      case HttpStream::State::kPiece:
        deadline_ = Clock::now() + kStallTimeout;
        break;
      case HttpStream::State::kWaiting:
        // The work has a deadline of its own.
        deadline_ = Clock::time_point::max();
        return NoticeClient();
      case HttpStream::State::kEnd:
        stream_ = nullptr;
        deadline_ = Clock::now() + kStallTimeout;
        return Send();
      case HttpStream::State::kBroken:
        Reset();
        return false;
    }
  }
}

// Whether the client still waits for the answer.
bool MetricsConnection::NoticeClient() {
  char rest[4096];
  const ssize_t n = ::recv(fd_, rest, sizeof(rest), MSG_DONTWAIT);
  return n > 0 || (n < 0 && (errno == EAGAIN || errno == EINTR));
}

// Makes closing the socket tell the client that the answer is incomplete.
void MetricsConnection::Reset() {
  const linger at_once{.l_onoff = 1, .l_linger = 0};
  ::setsockopt(fd_, SOL_SOCKET, SO_LINGER, &at_once, sizeof(at_once));
}

}  // namespace stagedoor::server

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

constexpr std::string_view kServerError = "500 Internal Server Error";
constexpr std::string_view kEndOfHead = "\r\n\r\n";

std::string RenderedPage(const std::function<HttpAnswer()>& page) {
  try {
    return RenderedAnswer(page());
  } catch (const std::exception&) {  // for example out of memory, which must not end the daemon
    return RenderedAnswer({.status = kServerError});
  }
}

// Names what is served.
std::string NoSuchPage(std::string_view path, const HttpRoutes& routes) {
  std::string text = Concat("there is no page ", Quoted(path), "; the pages are");
  for (const auto& [name, page] : routes.pages) text += Concat(" ", name);
  for (const auto& [name, stream] : routes.streams) text += Concat(" ", name);
  return text;
}

}  // namespace

std::string RenderedAnswer(const HttpAnswer& answer) {
  return Concat("HTTP/1.1 ", answer.status, "\r\n", answer.headers,
                "Content-Type: ", answer.content_type,
                "\r\nX-Content-Type-Options: nosniff\r\nContent-Length: ", answer.body.size(),
                "\r\nConnection: close\r\n\r\n", answer.body);
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
    return Refuse("431 Request Header Fields Too Large",
                  Concat("a request may have ", kMaxRequestBytes, " bytes"));
  }
  return request_.find(kEndOfHead) == std::string::npos || Answer(routes);
}

// Begins to answer a request that is complete.
bool MetricsConnection::Answer(const HttpRoutes& routes) {
  answers_ = true;
  const std::string_view text = request_;
  const std::optional<HttpRequest> request =
      HttpRequest::Parse(text.substr(0, text.find(kEndOfHead) + 2));
  if (!request) return Refuse("400 Bad Request", "this is not a request of HTTP/1");
  only_head_ = request->method() == "HEAD";
  if (request->method() != "GET" && !only_head_) {
    return Refuse("405 Method Not Allowed", "only GET and HEAD are answered",
                  "Allow: GET, HEAD\r\n");
  }
  if (const auto stream = routes.streams.find(request->path()); stream != routes.streams.end()) {
    try {
      stream_ = stream->second(*request, wake_);
    } catch (const std::exception&) {
      return Refuse(kServerError, "the answer cannot be begun; try again later");
    }
    return ContinueStream();
  }
  const auto page = routes.pages.find(request->path());
  if (page == routes.pages.end()) {
    return Refuse("404 Not Found", NoSuchPage(request->path(), routes));
  }
  answer_ = RenderedPage(page->second);
  DropBody();
  return Send();
}

bool MetricsConnection::Refuse(std::string_view status, std::string_view why,
                               std::string_view headers) {
  answer_ = RenderedAnswer({.status = status, .body = Concat(why, "\n"), .headers = headers});
  DropBody();
  return Send();
}

// Makes the answer to a HEAD what it is without its body.
void MetricsConnection::DropBody() {
  if (only_head_) answer_.resize(answer_.find(kEndOfHead) + kEndOfHead.size());
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
        if (!only_head_) break;
        DropBody();
        stream_ = nullptr;
        return Send();
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

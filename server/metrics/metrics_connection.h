// MetricsConnection serves one client of the metrics endpoint: reads its request, sends the answer,
// and ends. Not thread-safe; no call blocks.
#ifndef STAGEDOOR_SERVER_METRICS_METRICS_CONNECTION_H_
#define STAGEDOOR_SERVER_METRICS_METRICS_CONNECTION_H_

#include <chrono>
#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "server/metrics/http_stream.h"

namespace stagedoor::server {

struct HttpAnswer {
  std::string_view status = "200 OK";
  std::string_view content_type = "text/plain; charset=utf-8";
  std::string body;
  std::string_view headers = {};  // further ones, each with its end of line
};

// The bytes of an answer after which the connection is closed.
std::string RenderedAnswer(const HttpAnswer& answer);

// Makes the answers to GET and HEAD, by path.
using HttpPages = std::map<std::string, std::function<HttpAnswer()>, std::less<>>;

// The paths that are answered; any other is answered with 404.
struct HttpRoutes {
  HttpPages pages;
  HttpStreams streams = {};
};

class MetricsConnection {
 public:
  using Clock = std::chrono::steady_clock;
  static constexpr size_t kMaxRequestBytes = 8192;
  // How long a client may take to read what it is sent of a stream.
  static constexpr std::chrono::seconds kStallTimeout{30};

  // Takes ownership of `fd`, a stream socket. The owner of the connection ends it at deadline(),
  // which streams move. `wake` makes the owner call Continue soon, on any thread.
  MetricsConnection(int fd, Clock::time_point deadline, std::function<void()> wake = {})
      : fd_(fd), deadline_(deadline), wake_(std::move(wake)) {}
  ~MetricsConnection();
  MetricsConnection(const MetricsConnection&) = delete;
  MetricsConnection& operator=(const MetricsConnection&) = delete;

  int fd() const { return fd_; }
  Clock::time_point deadline() const { return deadline_; }
  // The events to poll for before calling Continue.
  short events() const;
  // Whether a stream is being sent, so that Continue is to be called after each wake, too.
  bool is_streaming() const { return stream_ != nullptr; }

  // Does what is possible without blocking. False at the end.
  bool Continue(const HttpRoutes& routes);

 private:
  bool Receive(const HttpRoutes& routes);
  bool Answer(const HttpRoutes& routes);
  bool Refuse(std::string_view status, std::string_view why, std::string_view headers = {});
  void DropBody();
  bool Send();
  bool ContinueStream();
  bool NoticeClient();
  void Reset();

  const int fd_;
  Clock::time_point deadline_;
  const std::function<void()> wake_;
  bool answers_ = false;                // the request is complete, or too long
  bool only_head_ = false;              // the answer has no body
  std::string request_, answer_;        // of a stream, the piece that is being sent
  size_t sent_ = 0;                     // of `answer_`
  std::unique_ptr<HttpStream> stream_;  // null before and after a stream
};

}  // namespace stagedoor::server

#endif  // STAGEDOOR_SERVER_METRICS_METRICS_CONNECTION_H_

// MetricsConnection serves one client of the metrics endpoint: reads its request, sends the answer,
// and ends. Not thread-safe; no call blocks.
#ifndef STAGEDOOR_SERVER_METRICS_METRICS_CONNECTION_H_
#define STAGEDOOR_SERVER_METRICS_METRICS_CONNECTION_H_

#include <chrono>
#include <cstddef>
#include <functional>
#include <map>
#include <string>
#include <string_view>

namespace stagedoor::server {

struct HttpAnswer {
  std::string_view status = "200 OK";
  std::string_view content_type = "text/plain; charset=utf-8";
  std::string body;
};

// Makes the answers to GET and HEAD, by path. Others are answered with 404.
using HttpRoutes = std::map<std::string, std::function<HttpAnswer()>, std::less<>>;

class MetricsConnection {
 public:
  using Clock = std::chrono::steady_clock;
  static constexpr size_t kMaxRequestBytes = 8192;

  // Takes ownership of `fd`, a stream socket. The owner of the connection ends it at `deadline`.
  MetricsConnection(int fd, Clock::time_point deadline) : fd_(fd), deadline_(deadline) {}
  ~MetricsConnection();
  MetricsConnection(const MetricsConnection&) = delete;
  MetricsConnection& operator=(const MetricsConnection&) = delete;

  int fd() const { return fd_; }
  Clock::time_point deadline() const { return deadline_; }
  // The events to poll for before calling Continue.
  short events() const;

  // Does what is possible without blocking. False at the end.
  bool Continue(const HttpRoutes& routes);

 private:
  bool Receive(const HttpRoutes& routes);
  std::string AnswerTo(const HttpRoutes& routes) const;
  bool Send();

  const int fd_;
  const Clock::time_point deadline_;
  std::string request_, answer_;
  size_t sent_ = 0;
};

}  // namespace stagedoor::server

#endif  // STAGEDOOR_SERVER_METRICS_METRICS_CONNECTION_H_

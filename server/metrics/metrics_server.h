// MetricsServer answers GET requests of a few resources over HTTP/1, such as /metrics.
//
// One thread serves all connections without blocking on any of them, so a client that sends or
// reads slowly, or not at all, does not delay the others. There are at most kMaxConnections; one
// more replaces the oldest, if possible one without a stream. Each connection is closed after
// kConnectionTimeout, or as its stream says. Destruction ends the thread immediately.
#ifndef STAGEDOOR_SERVER_METRICS_METRICS_SERVER_H_
#define STAGEDOOR_SERVER_METRICS_METRICS_SERVER_H_

#include <chrono>
#include <memory>
#include <string>
#include <thread>

#include "absl/status/statusor.h"
#include "server/metrics/metrics_connection.h"

namespace stagedoor::server {

class MetricsServer {
 public:
  static constexpr size_t kMaxConnections = 64;
  static constexpr std::chrono::seconds kConnectionTimeout{5};

  // Listens on `host` and `port` (0 picks a free port). Pages are made, and streams are started and
  // read, on the server's thread.
  // UNAVAILABLE, with the reason, if it cannot listen there.
  static absl::StatusOr<std::unique_ptr<MetricsServer>> Start(const std::string& host, int port,
                                                              HttpRoutes routes);
  ~MetricsServer();
  MetricsServer(const MetricsServer&) = delete;
  MetricsServer& operator=(const MetricsServer&) = delete;

  int port() const { return port_; }

 private:
  MetricsServer(int listen_fd, int stop_fd, int wake_fd, int port, HttpRoutes routes);
  void Run();

  const int listen_fd_, stop_fd_, wake_fd_, port_;
  const HttpRoutes routes_;
  std::thread thread_;
};

}  // namespace stagedoor::server

#endif  // STAGEDOOR_SERVER_METRICS_METRICS_SERVER_H_

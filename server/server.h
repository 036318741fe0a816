#ifndef STAGEDOOR_SERVER_SERVER_H_
#define STAGEDOOR_SERVER_SERVER_H_

#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "server/lifecycle/drainable.h"
#include "server/server_options.h"

namespace grpc {
class Channel;
}  // namespace grpc

namespace stagedoor {

class Resolver;

// A running daemon: engine, stages, leases and the gRPC server over them. Thread-safe. Destruction
// drains for a moment and stops.
class Server final : public Drainable {
 public:
  // Serves when it returns. UNAVAILABLE for an address that can't be had; the engine's errors.
  static absl::StatusOr<std::unique_ptr<Server>> Start(const ServerOptions& options);
  // The same over another resolver: for tests.
  static absl::StatusOr<std::unique_ptr<Server>> Start(const ServerOptions& options,
                                                       std::shared_ptr<const Resolver> resolver);
  ~Server() override;
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  // The addresses it listens on, with the ports that were chosen.
  const std::vector<std::string>& addresses() const;

  // Where metrics are served, with the port that was chosen; empty: nowhere.
  const std::string& metrics_address() const;

  // A channel to this server that uses no socket.
  std::shared_ptr<grpc::Channel> InProcessChannel();

  // Answers NOT_SERVING to health checks, of the server and of each service.
  void Announce() override;
  // Announces, and clients are told to go (GOAWAY).
  void Drain(std::chrono::milliseconds patience) override;
  void CancelCalls() override;
  size_t calls_in_flight() const override;

 private:
  class Impl;
  explicit Server(std::unique_ptr<Impl> impl);

  const std::unique_ptr<Impl> impl_;
};

}  // namespace stagedoor

#endif  // STAGEDOOR_SERVER_SERVER_H_

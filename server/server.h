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
}  // namespace stagedoor

namespace stagedoor::server {

class AdminControl;
class AuditLog;
class Authenticator;

// A running daemon: engine, stages, leases and the gRPC server on top of them. Thread-safe. The
// destructor drains briefly and stops the server.
class Server final : public Drainable {
 public:
  // The server accepts calls on return. UNAVAILABLE for an address it cannot listen on; otherwise
  // the errors of Engine::Create.
  static absl::StatusOr<std::unique_ptr<Server>> Start(const ServerOptions& options);
  // As Start, with another resolver, for tests, unless it is null; and with the control of a
  // daemon, which may be null and must outlive the server.
  static absl::StatusOr<std::unique_ptr<Server>> Start(const ServerOptions& options,
                                                       std::shared_ptr<const Resolver> resolver,
                                                       AdminControl* control = nullptr);
  ~Server() override;
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  // The addresses it listens on, with the chosen ports.
  const std::vector<std::string>& addresses() const;

  // Decides who may make which calls.
  std::shared_ptr<Authenticator> authenticator() const;
  // Null if there is none.
  std::shared_ptr<AuditLog> audit_log() const;

  // The address that serves metrics, with the chosen port. Empty if there is none.
  const std::string& metrics_address() const;

  // A channel to this server without a socket.
  std::shared_ptr<grpc::Channel> InProcessChannel();

  // From now on, health checks of the server and of each service report NOT_SERVING.
  void AnnounceShutdown() override;
  // Also calls AnnounceShutdown, and sends GOAWAY to clients.
  void Drain(std::chrono::milliseconds grace_period) override;
  void CancelCalls() override;
  size_t calls_in_flight() const override;

 private:
  class Impl;
  explicit Server(std::unique_ptr<Impl> impl);

  const std::unique_ptr<Impl> impl_;
};

}  // namespace stagedoor::server

#endif  // STAGEDOOR_SERVER_SERVER_H_

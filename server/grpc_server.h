#ifndef STAGEDOOR_SERVER_GRPC_SERVER_H_
#define STAGEDOOR_SERVER_GRPC_SERVER_H_

#include <grpcpp/channel.h>
#include <grpcpp/impl/codegen/service_type.h>
#include <grpcpp/server.h>
#include <grpcpp/server_builder.h>

#include <atomic>
#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "server/access/unix_peers.h"
#include "server/listen/connection_counter.h"
#include "server/listen/listen_address.h"
#include "server/listen/socket_listener.h"
#include "server/listen/unix_socket_lock.h"
#include "server/server_options.h"

namespace stagedoor::server {

// gRPC's server for the services of the daemon, with the sockets that it listens on. Thread-safe,
// except that StopListening and Shutdown are called by one thread.
class GrpcServer {
 public:
  // `options` and `connections` must outlive the object. Health checks report NOT_SERVING.
  // UNAVAILABLE for an address it cannot listen on.
  static absl::StatusOr<std::unique_ptr<GrpcServer>> Start(
      const ServerOptions& options, ConnectionCounter& connections,
      std::vector<std::unique_ptr<grpc::Service>> services);
  // Ends all calls that have not ended.
  ~GrpcServer();

  // The addresses it listens on, with the chosen ports.
  const std::vector<std::string>& addresses() const { return addresses_; }
  // A channel to this server without a socket.
  std::shared_ptr<grpc::Channel> InProcessChannel();

  // Sets the status of each service and of the whole server, whose name is empty.
  void SetHealth(bool serving);

  // Accepts no more connections.
  void StopListening() { listeners_.clear(); }
  // Accepts no more calls, and waits until those in flight have ended, which it ends itself after a
  // grace period.
  void Shutdown(std::chrono::milliseconds grace_period);
  // Ends all calls while Shutdown waits.
  void CancelCalls();

 private:
  GrpcServer(const ServerOptions& options, ConnectionCounter& connections,
             std::vector<std::unique_ptr<grpc::Service>> services);

  absl::Status Listen();
  absl::Status ListenOn(const std::string& address, const ListenAddress& parsed);
  // Parses the address. A Unix socket is locked, so that no other daemon takes it over.
  absl::StatusOr<ListenAddress> Claim(const std::string& address);
  // Serves the connection of a user of this machine.
  void ServePeer(int fd);

  const ServerOptions& options_;
  ConnectionCounter& connections_;
  std::vector<std::unique_ptr<UnixSocketLock>> claims_;  // released after the server is destroyed
  const std::vector<std::unique_ptr<grpc::Service>> services_;
  std::unique_ptr<UnixPeers> unix_peers_;  // null unless it matters
  // Where gRPC takes the connections that are accepted for it.
  std::unique_ptr<grpc::experimental::ExternalConnectionAcceptor> tcp_connections_;
  std::unique_ptr<grpc::experimental::ExternalConnectionAcceptor> unix_connections_;
  std::unique_ptr<grpc::Server> server_;
  std::vector<std::unique_ptr<SocketListener>> listeners_;
  std::vector<std::string> addresses_;
  std::atomic<bool> shut_down_{false};
};

}  // namespace stagedoor::server

#endif  // STAGEDOOR_SERVER_GRPC_SERVER_H_

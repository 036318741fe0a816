#ifndef STAGEDOOR_SERVER_LISTEN_CONNECTION_LIMITS_H_
#define STAGEDOOR_SERVER_LISTEN_CONNECTION_LIMITS_H_

#include <chrono>
#include <cstddef>

namespace grpc {
class ServerBuilder;
}  // namespace grpc

namespace stagedoor::server {

// Limits on connections. 0 means no limit, except of max_connections.
struct ConnectionLimits {
  size_t max_connections = 10000;  // at the same time; see FitToFileLimit
  // Clients of older connections have to connect again, so that they are balanced anew over several
  // daemons. Running calls may take `age_grace` to finish.
  std::chrono::seconds max_age{0};
  std::chrono::seconds age_grace{600};
  std::chrono::seconds max_idle{0};  // without calls
  int max_streams = 10000;           // calls at the same time
  // A silent client is asked whether it is there, and has `keepalive_timeout` to answer.
  std::chrono::seconds keepalive{60};
  std::chrono::seconds keepalive_timeout{20};
  std::chrono::seconds handshake_timeout{10};  // TLS and HTTP/2 settings
};

// Sets the limits for all connections of a server.
void ApplyConnectionLimits(const ConnectionLimits& limits, grpc::ServerBuilder& builder);

}  // namespace stagedoor::server

#endif  // STAGEDOOR_SERVER_LISTEN_CONNECTION_LIMITS_H_

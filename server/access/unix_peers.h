#ifndef STAGEDOOR_SERVER_ACCESS_UNIX_PEERS_H_
#define STAGEDOOR_SERVER_ACCESS_UNIX_PEERS_H_

#include <grpcpp/grpcpp.h>

#include <cstddef>
#include <memory>
#include <optional>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "base/mutex.h"
#include "server/access/peer_identity.h"

namespace stagedoor::server {

// The credentials of the process that connected a Unix socket, as of that moment. At most
// kMaxIdentityAliases groups are read. UNAUTHENTICATED if the kernel does not say.
absl::StatusOr<SocketCredentials> ReadSocketCredentials(int fd);

// Serves connections of a Unix socket so that each call knows the user at the other end.
//
// gRPC hides the socket of a call: its peer is always "unix:". But a server can have many acceptors
// of connections, each with credentials of its own that mark the calls. Each user gets an acceptor
// for good; it is never given to another one, because calls of a closed connection may still be
// waiting. Clients need no credentials. Thread-safe.
class UnixPeers {
 public:
  static constexpr size_t kMaxAcceptors = 64;
  // A user can connect with several sets of groups (newgrp), but must not take all acceptors.
  static constexpr size_t kMaxAcceptorsPerUser = 4;

  // Adds the acceptors to the server that `builder` builds. Must outlive that server.
  explicit UnixPeers(grpc::ServerBuilder& builder, size_t max_acceptors = kMaxAcceptors);
  ~UnixPeers();
  UnixPeers(const UnixPeers&) = delete;
  UnixPeers& operator=(const UnixPeers&) = delete;

  // Takes a connected socket, which must not block, once the server is started. If the credentials
  // are absent or there are no more acceptors, the connection is served without credentials, and
  // RESOURCE_EXHAUSTED says why.
  absl::Status Serve(int fd, const std::optional<SocketCredentials>& credentials)
      ABSL_LOCKS_EXCLUDED(mu_);

  // The credentials of the connection of a call (ServerContext::auth_context()); nothing for one
  // that came another way or has none.
  static std::optional<SocketCredentials> Of(const grpc::AuthContext& context);

 private:
  class Marker;
  struct Acceptor;

  // The acceptor of the user, or a free one, which becomes theirs; null if there is none.
  Acceptor* Find(const SocketCredentials& credentials) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_);

  Mutex mu_;
  std::vector<Acceptor> acceptors_ ABSL_GUARDED_BY(mu_);  // the first is for unknown users
};

}  // namespace stagedoor::server

#endif  // STAGEDOOR_SERVER_ACCESS_UNIX_PEERS_H_

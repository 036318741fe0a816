#ifndef STAGEDOOR_SERVER_ACCESS_CALL_GATE_H_
#define STAGEDOOR_SERVER_ACCESS_CALL_GATE_H_

#include <memory>
#include <string_view>

#include "absl/status/statusor.h"
#include "server/access/caller.h"
#include "server/access/rpc_group.h"

namespace grpc {
class ServerContextBase;
}  // namespace grpc

namespace stagedoor::server {

struct SocketCredentials;

// Decides who may make which calls. Thread-safe, and quick: asked on gRPC's threads.
class CallGate {
 public:
  virtual ~CallGate() = default;

  // The caller of a call, if they may call `method`, which is of `group`. UNAUTHENTICATED
  // (UNAUTHENTICATED) without valid credentials; PERMISSION_DENIED (METHOD_FORBIDDEN).
  virtual absl::StatusOr<std::shared_ptr<const Caller>> Identify(
      const grpc::ServerContextBase& context, std::string_view method, RpcGroup group) = 0;
  // Like Identify, for a call on a Unix socket that gRPC does not serve. `credentials` are those of
  // the process at the other end; null if they are not known.
  virtual absl::StatusOr<std::shared_ptr<const Caller>> IdentifyPeer(
      const SocketCredentials* credentials, std::string_view method, RpcGroup group) = 0;
};

}  // namespace stagedoor::server

#endif  // STAGEDOOR_SERVER_ACCESS_CALL_GATE_H_

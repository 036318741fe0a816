#ifndef STAGEDOOR_SERVER_ACCESS_AUTHENTICATOR_H_
#define STAGEDOOR_SERVER_ACCESS_AUTHENTICATOR_H_

#include <memory>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "base/mutex.h"
#include "server/access/access_options.h"
#include "server/access/access_policy.h"
#include "server/access/call_gate.h"
#include "server/access/peer_identity.h"
#include "server/access/token_verifiers.h"
#include "server/log/rate_limiter.h"

namespace stagedoor::server {

class AuditLog;

// Finds out who makes a call, and whether they may. The first of these counts:
//
// 1. The bearer token in the metadata "authorization". A token that is not accepted fails the call,
//    even if the client could prove its identity in another way.
// 2. The client certificate of the connection.
// 3. The user of the process at the other end of a Unix socket.
// 4. Nothing: callers on this machine are "local", others "anonymous".
//
// Refusals are logged; so are, in the audit log, calls of methods beyond queries. Thread-safe.
class Authenticator final : public CallGate {
 public:
  struct Options {
    AccessOptions access;
    // Whether all callers are "local" and may do everything: no other machine can connect, and
    // there are no roles.
    bool trust_all = false;
    std::shared_ptr<AuditLog> audit;  // may be null
  };

  // The errors of AccessPolicy::Create and TokenVerifiers::Create.
  static absl::StatusOr<std::unique_ptr<Authenticator>> Create(Options options);

  absl::StatusOr<std::shared_ptr<const Caller>> Identify(const grpc::ServerContextBase& context,
                                                         std::string_view method,
                                                         RpcGroup group) override;
  absl::StatusOr<std::shared_ptr<const Caller>> IdentifyPeer(const SocketCredentials* credentials,
                                                             std::string_view method,
                                                             RpcGroup group) override;

  // Replaces tokens and roles for calls that arrive from now on. Errors change nothing: those of
  // Create, and INVALID_ARGUMENT if there are roles now and were none before, or the other way
  // round.
  absl::Status SetAccess(const AccessOptions& access);

 private:
  // The rules in force; replaced as a whole.
  struct Rules {
    std::unique_ptr<TokenVerifiers> tokens;  // null if none are accepted
    std::shared_ptr<const AccessPolicy> policy;
    bool has_roles = false;
  };

  explicit Authenticator(Options options);
  static absl::StatusOr<std::shared_ptr<const Rules>> MakeRules(const AccessOptions& access);

  static absl::StatusOr<Identity> Prove(const grpc::ServerContextBase& context, const Rules& rules,
                                        const PeerAddress& peer);
  std::shared_ptr<const Rules> GetRules();
  // The caller with an identity, or the refusal, which is logged.
  absl::StatusOr<std::shared_ptr<const Caller>> Admit(const absl::StatusOr<Identity>& identity,
                                                      const Rules& rules, const PeerAddress& peer,
                                                      std::string_view method, RpcGroup group);
  absl::StatusOr<std::shared_ptr<const Caller>> Authorize(const absl::StatusOr<Identity>& identity,
                                                          const Rules& rules,
                                                          const PeerAddress& peer,
                                                          std::string_view method, RpcGroup group);
  void LogRefusal(const PeerAddress& peer, std::string_view method, const absl::Status& refusal);

  const Options options_;
  const std::shared_ptr<const Caller> local_;  // every caller if all are trusted
  RateLimiter refusals_;
  Mutex mu_;
  std::shared_ptr<const Rules> rules_ ABSL_GUARDED_BY(mu_);
};

}  // namespace stagedoor::server

#endif  // STAGEDOOR_SERVER_ACCESS_AUTHENTICATOR_H_

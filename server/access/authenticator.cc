#include "server/access/authenticator.h"

#include <grpc/grpc_security_constants.h>
#include <grpcpp/security/auth_context.h>
#include <grpcpp/server_context.h>
#include <spdlog/spdlog.h>

#include <optional>
#include <utility>
#include <vector>

#include "base/status.h"
#include "base/status_macros.h"
#include "server/access/check_caller.h"
#include "server/access/unauthenticated.h"
#include "server/access/unix_peers.h"
#include "server/error_info.h"
#include "server/log/audit_log.h"

namespace stagedoor::server {
namespace {

constexpr int kRefusalBurst = 20;
constexpr std::chrono::seconds kRefusalInterval{1};

// The caller of a server that trusts all.
std::shared_ptr<const Caller> MakeLocalCaller() {
  auto grants = std::make_shared<Grants>();
  grants->role = "local";
  grants->groups.set();
  return std::make_shared<const Caller>(
      Caller{.identity = {.method = Identity::Method::kLocal, .name = "local", .aliases = {}},
             .grants = std::move(grants),
             .share = "local",
             .peer = {}});
}

// The bearer token of a call; nothing without an authorization. UNAUTHENTICATED for one of
// another kind, or several.
absl::StatusOr<std::optional<std::string_view>> BearerToken(
    const grpc::ServerContextBase& context) {
  const auto [first, last] = context.client_metadata().equal_range("authorization");
  if (first == last) return std::nullopt;
  const std::string_view text(first->second.data(), first->second.size());
  const size_t space = text.find(' ');
  if (std::next(first) != last || space == text.npos ||
      AsciiLower(text.substr(0, space)) != "bearer") {
    return UnauthenticatedError("the metadata 'authorization' must be one bearer token");
  }
  return text.substr(space + 1);
}

std::vector<std::string> Properties(const grpc::AuthContext& context, const char* name) {
  std::vector<std::string> values;
  for (const grpc::string_ref& value : context.FindPropertyValues(name)) {
    values.emplace_back(value.data(), value.size());
  }
  return values;
}

// The identity in the client certificate of the connection; nothing if there is none.
absl::StatusOr<std::optional<Identity>> CertificateOf(const grpc::ServerContextBase& context) {
  const std::shared_ptr<const grpc::AuthContext> connection = context.auth_context();
  if (connection == nullptr || !connection->IsPeerAuthenticated()) return std::nullopt;
  const std::vector<std::string> names = Properties(*connection, GRPC_X509_SAN_PROPERTY_NAME);
  const std::vector<std::string> common = Properties(*connection, GRPC_X509_CN_PROPERTY_NAME);
  if (names.empty() && common.empty()) return std::nullopt;  // not TLS
  SD_ASSIGN_OR_RETURN(Identity identity,
                      CertificateIdentity(names, common.empty() ? "" : common.front()));
  return identity;
}

}  // namespace

Authenticator::Authenticator(Options options)
    : options_(std::move(options)),
      local_(MakeLocalCaller()),
      refusals_(kRefusalBurst, kRefusalInterval) {}

absl::StatusOr<std::unique_ptr<Authenticator>> Authenticator::Create(Options options) {
  SD_ASSIGN_OR_RETURN(std::shared_ptr<const Rules> rules, MakeRules(options.access));
  std::unique_ptr<Authenticator> made(new Authenticator(std::move(options)));
  MutexLock lock(made->mu_);
  made->rules_ = std::move(rules);
  return made;
}

absl::StatusOr<std::shared_ptr<const Authenticator::Rules>> Authenticator::MakeRules(
    const AccessOptions& access) {
  auto rules = std::make_shared<Rules>();
  rules->has_roles = !access.roles.empty();
  SD_ASSIGN_OR_RETURN(rules->policy, AccessPolicy::Create(access));
  if (!access.tokens.empty()) {
    TokenVerifiersOptions options;
    options.warn = [](const absl::Status& problem) { spdlog::warn("{}", Message(problem)); };
    SD_ASSIGN_OR_RETURN(rules->tokens, TokenVerifiers::Create(access.tokens, std::move(options)));
  }
  return rules;
}

absl::Status Authenticator::SetAccess(const AccessOptions& access) {
  SD_ASSIGN_OR_RETURN(std::shared_ptr<const Rules> rules, MakeRules(access));
  MutexLock lock(mu_);
  if (rules->has_roles != rules_->has_roles) {
    return InvalidArgumentError("whether there are roles changes only at a restart");
  }
  rules_.swap(rules);
  return absl::OkStatus();
}

absl::StatusOr<Identity> Authenticator::Prove(const grpc::ServerContextBase& context,
                                              const Rules& rules, const PeerAddress& peer) {
  SD_ASSIGN_OR_RETURN(const auto token, BearerToken(context));
  if (token.has_value()) {
    if (rules.tokens == nullptr) return UnauthenticatedError("this server accepts no tokens");
    SD_ASSIGN_OR_RETURN(const auto identity, rules.tokens->Verify(*token));
    return *identity;
  }
  SD_ASSIGN_OR_RETURN(std::optional<Identity> certificate, CertificateOf(context));
  if (certificate.has_value()) return *std::move(certificate);
  const std::shared_ptr<const grpc::AuthContext> connection = context.auth_context();
  if (connection != nullptr) {
    const auto user = UnixPeers::Of(*connection);
    if (user.has_value()) return SocketIdentity(*user);
  }
  // Without roles, a proxy on this machine may connect for others.
  return UnprovedIdentity(peer, !rules.has_roles);
}

std::shared_ptr<const Authenticator::Rules> Authenticator::GetRules() {
  MutexLock lock(mu_);
  return rules_;
}

absl::StatusOr<std::shared_ptr<const Caller>> Authenticator::Authorize(
    const absl::StatusOr<Identity>& identity, const Rules& rules, const PeerAddress& peer,
    std::string_view method, RpcGroup group) {
  if (!identity.ok()) return WithReason(identity.status(), v1::ERROR_REASON_UNAUTHENTICATED);
  auto caller = rules.policy->Authorize(*identity, peer);
  if (!caller.ok()) {
    const bool proved = absl::IsPermissionDenied(caller.status());
    if (options_.audit != nullptr && proved) {
      options_.audit->Record({.caller = identity->name,
                              .role = {},
                              .peer = peer.text,
                              .method = method,
                              .asset = {},
                              .decision = caller.status()});
    }
    return WithReason(caller.status(), proved ? v1::ERROR_REASON_METHOD_FORBIDDEN
                                              : v1::ERROR_REASON_UNAUTHENTICATED);
  }
  absl::Status allowed = CheckGroup(**caller, group, method);
  if (options_.audit != nullptr && (!allowed.ok() || group != RpcGroup::kQuery)) {
    options_.audit->Record({.caller = (*caller)->identity.name,
                            .role = (*caller)->grants->role,
                            .peer = peer.text,
                            .method = method,
                            .asset = {},
                            .decision = allowed});
  }
  if (!allowed.ok()) return allowed;
  return caller;
}

absl::StatusOr<std::shared_ptr<const Caller>> Authenticator::Identify(
    const grpc::ServerContextBase& context, std::string_view method, RpcGroup group) {
  if (options_.trust_all) return local_;
  const std::shared_ptr<const Rules> rules = GetRules();
  const PeerAddress peer = PeerAddress::Parse(context.peer());
  return Admit(Prove(context, *rules, peer), *rules, peer, method, group);
}

absl::StatusOr<std::shared_ptr<const Caller>> Authenticator::IdentifyPeer(
    const SocketCredentials* credentials, std::string_view method, RpcGroup group) {
  if (options_.trust_all) return local_;
  const std::shared_ptr<const Rules> rules = GetRules();
  const PeerAddress peer = PeerAddress::Parse("unix:");
  // As gRPC's calls on a Unix socket: see Prove, and GrpcServer, which reads credentials only if
  // there are roles.
  const bool proved = rules->has_roles && credentials != nullptr;
  return Admit(proved ? SocketIdentity(*credentials) : UnprovedIdentity(peer, !rules->has_roles),
               *rules, peer, method, group);
}

absl::StatusOr<std::shared_ptr<const Caller>> Authenticator::Admit(
    const absl::StatusOr<Identity>& identity, const Rules& rules, const PeerAddress& peer,
    std::string_view method, RpcGroup group) {
  auto caller = Authorize(identity, rules, peer, method, group);
  if (!caller.ok()) LogRefusal(peer, method, caller.status());
  return caller;
}

void Authenticator::LogRefusal(const PeerAddress& peer, std::string_view method,
                               const absl::Status& refusal) {
  const auto suppressed = refusals_.Admit(RateLimiter::Clock::now());
  if (!suppressed.has_value()) return;
  spdlog::warn("refused a call of {} from {}: {}{}", method, peer.text, Message(refusal),
               *suppressed == 0 ? "" : Concat(" (and ", *suppressed, " more refusals)"));
  if (options_.audit != nullptr && absl::IsUnauthenticated(refusal)) {
    options_.audit->Record({.caller = {},
                            .role = {},
                            .peer = peer.text,
                            .method = method,
                            .asset = {},
                            .decision = refusal});
  }
}

}  // namespace stagedoor::server

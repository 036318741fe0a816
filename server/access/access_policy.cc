#include "server/access/access_policy.h"

#include <algorithm>
#include <array>
#include <set>
#include <utility>

#include "base/status.h"
#include "base/status_macros.h"
#include "server/access/unauthenticated.h"

namespace stagedoor::server {
namespace {

constexpr std::string_view kAnonymous = "anonymous";
constexpr std::string_view kLocal = "local";
constexpr std::string_view kEveryProved = "*";
constexpr std::array<std::string_view, 5> kKinds = {"user", "group", "certificate", "uid", "gid"};

bool IsProved(const Identity& identity) {
  switch (identity.method) {
    case Identity::Method::kPeer:
    case Identity::Method::kCertificate:
    case Identity::Method::kToken:
      return true;
    case Identity::Method::kAnonymous:
    case Identity::Method::kLocal:
      break;
  }
  return false;
}

}  // namespace

bool AccessPolicy::Pattern::Matches(std::string_view text) const {
  if (!wildcard) return text == before;
  if (text.size() <= before.size() + after.size() || !text.starts_with(before) ||
      !text.ends_with(after)) {
    return false;
  }
  text.remove_prefix(before.size());
  text.remove_suffix(after.size());
  return text.find('/') == text.npos;
}

bool AccessPolicy::Role::Selects(const Identity& identity) const {
  if (every_proved && IsProved(identity)) return true;
  return std::any_of(patterns.begin(), patterns.end(), [&identity](const Pattern& pattern) {
    return pattern.Matches(identity.name) ||
           std::any_of(identity.aliases.begin(), identity.aliases.end(),
                       [&pattern](const std::string& alias) { return pattern.Matches(alias); });
  });
}

absl::StatusOr<AccessPolicy::Pattern> AccessPolicy::ParsePattern(std::string_view text) {
  Pattern pattern;
  if (text == kAnonymous || text == kLocal) {
    pattern.before = text;
    return pattern;
  }
  const size_t colon = text.find(':');
  const std::string_view kind = text.substr(0, colon);
  if (colon == text.npos || std::find(kKinds.begin(), kKinds.end(), kind) == kKinds.end()) {
    return InvalidArgumentError("the identity ", Quoted(text),
                                " must be \"anonymous\", \"local\", \"*\", or begin with ",
                                Join(kKinds, ":, "), ":");
  }
  if (colon + 1 == text.size()) {
    return InvalidArgumentError("the identity ", Quoted(text), " has no name");
  }
  const size_t star = text.find('*');
  pattern.wildcard = star != text.npos;
  pattern.before = text.substr(0, star);
  if (!pattern.wildcard) return pattern;
  pattern.after = text.substr(star + 1);
  if (pattern.after.find('*') != pattern.after.npos) {
    return InvalidArgumentError("the identity ", Quoted(text), " has more than one '*'");
  }
  return pattern;
}

absl::StatusOr<AccessPolicy::Role> AccessPolicy::MakeRole(const RoleOptions& options) {
  if (options.grants.role.empty()) return InvalidArgumentError("a role has no name");
  if (options.identities.empty()) {
    return InvalidArgumentError("the role ", Quoted(options.grants.role),
                                " selects no identities; list them");
  }
  Role role;
  role.grants = std::make_shared<const Grants>(options.grants);
  for (const std::string& text : options.identities) {
    if (text == kEveryProved) {
      role.every_proved = true;
      continue;
    }
    absl::StatusOr<Pattern> pattern = ParsePattern(text);
    if (!pattern.ok()) {
      return Annotate(pattern.status(), Concat("the role ", Quoted(options.grants.role)));
    }
    role.patterns.push_back(*std::move(pattern));
  }
  return role;
}

std::vector<AccessPolicy::Role> AccessPolicy::DefaultRoles() {
  Grants everything;
  everything.role = kLocal;
  everything.groups.set();
  Grants queries;
  queries.role = kAnonymous;
  queries.groups.set(static_cast<size_t>(RpcGroup::kQuery));
  const auto pattern = [](std::string before, bool wildcard) {
    return Pattern{.before = std::move(before), .wildcard = wildcard};
  };
  return {{.grants = std::make_shared<const Grants>(std::move(everything)),
           .patterns = {pattern(std::string(kLocal), false), pattern("uid:", true)}},
          {.grants = std::make_shared<const Grants>(std::move(queries)),
           .patterns = {pattern(std::string(kAnonymous), false)},
           .every_proved = true}};
}

absl::StatusOr<std::shared_ptr<const AccessPolicy>> AccessPolicy::Create(
    const AccessOptions& options) {
  std::shared_ptr<AccessPolicy> policy(new AccessPolicy());
  policy->accepts_tokens_ = !options.tokens.empty();
  std::set<std::string_view> names;
  for (const RoleOptions& role_options : options.roles) {
    SD_ASSIGN_OR_RETURN(Role role, MakeRole(role_options));
    if (!names.insert(role_options.grants.role).second) {
      return InvalidArgumentError("two roles are named ", Quoted(role_options.grants.role));
    }
    policy->roles_.push_back(std::move(role));
  }
  if (policy->roles_.empty()) policy->roles_ = DefaultRoles();
  return policy;
}

const AccessPolicy::Role* AccessPolicy::FindRole(const Identity& identity) const {
  const auto role = std::find_if(roles_.begin(), roles_.end(), [&identity](const Role& candidate) {
    return candidate.Selects(identity);
  });
  return role == roles_.end() ? nullptr : &*role;
}

absl::Status AccessPolicy::Refusal(const Identity& identity) const {
  if (IsProved(identity)) {
    return PermissionDeniedError(Quoted(identity.name), " has no role; ask the operator for one");
  }
  return UnauthenticatedError("credentials are required: ",
                              accepts_tokens_ ? "send a bearer token (\"authorization\")"
                                              : "connect with a client certificate or through the "
                                                "Unix socket");
}

absl::StatusOr<std::shared_ptr<const Caller>> AccessPolicy::Authorize(
    Identity identity, const PeerAddress& peer) const {
  const Role* role = FindRole(identity);
  if (role == nullptr) return Refusal(identity);
  auto caller = std::make_shared<Caller>();
  caller->share = IsProved(identity) ? identity.name : peer.share;
  caller->peer = peer.text;
  caller->identity = std::move(identity);
  caller->grants = role->grants;
  return caller;
}

}  // namespace stagedoor::server

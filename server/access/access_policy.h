#ifndef STAGEDOOR_SERVER_ACCESS_ACCESS_POLICY_H_
#define STAGEDOOR_SERVER_ACCESS_ACCESS_POLICY_H_

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "server/access/access_options.h"
#include "server/access/caller.h"
#include "server/access/grants.h"
#include "server/access/identity.h"
#include "server/access/peer_identity.h"

namespace stagedoor::server {

// Selects the grants of an identity. Immutable and thread-safe.
//
// A pattern of a role is one of
//   anonymous, local     callers of whom nothing was proved, or who are on this machine
//   *                    every identity that was proved: a user, a certificate, a Unix user
//   KIND:TEXT            the name or alias, compared exactly; KIND is user, group, certificate, uid
//                        or gid
//   KIND:TEXT*TEXT       '*' stands for one or more characters except '/'
//
// Without any role, callers on this machine (kLocal, kPeer) may do everything, and all others may
// query everything.
class AccessPolicy {
 public:
  // INVALID_ARGUMENT names the role and the pattern that are wrong.
  static absl::StatusOr<std::shared_ptr<const AccessPolicy>> Create(const AccessOptions& options);

  // The caller with the grants of the first role that selects the identity. If no role does:
  // PERMISSION_DENIED for an identity that was proved, UNAUTHENTICATED for any other.
  absl::StatusOr<std::shared_ptr<const Caller>> Authorize(Identity identity,
                                                          const PeerAddress& peer) const;

 private:
  struct Pattern {
    std::string before;  // the whole text, unless there is a '*'
    std::string after;
    bool wildcard = false;

    bool Matches(std::string_view text) const;
  };
  struct Role {
    std::shared_ptr<const Grants> grants;
    std::vector<Pattern> patterns;
    bool every_proved = false;  // the pattern "*"

    bool Selects(const Identity& identity) const;
  };

  AccessPolicy() = default;
  static absl::StatusOr<Role> MakeRole(const RoleOptions& options);
  static absl::StatusOr<Pattern> ParsePattern(std::string_view text);
  static std::vector<Role> DefaultRoles();

  const Role* FindRole(const Identity& identity) const;
  absl::Status Refusal(const Identity& identity) const;

  std::vector<Role> roles_;
  bool accepts_tokens_ = false;
};

}  // namespace stagedoor::server

#endif  // STAGEDOOR_SERVER_ACCESS_ACCESS_POLICY_H_

#ifndef STAGEDOOR_SERVER_ACCESS_ACCESS_OPTIONS_H_
#define STAGEDOOR_SERVER_ACCESS_ACCESS_OPTIONS_H_

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "server/access/grants.h"

namespace stagedoor::server {

// Bearer tokens (JSON Web Tokens, RFC 7519) that are accepted. A token must fit one of them.
struct TokenIssuer {
  std::string issuer;     // "iss", compared exactly
  std::string audience;   // must be (one of) "aud"
  std::string jwks_file;  // the issuer's public keys (RFC 7517); read again when it changes
  std::chrono::seconds clock_skew{60};
  std::string name_claim = "sub";       // a text; becomes the name "user:TEXT"
  std::string groups_claim = "groups";  // a list of texts; become the aliases "group:TEXT"
};

// Grants, and the identities that have them.
struct RoleOptions {
  Grants grants;
  // Names and aliases of identities, "anonymous", or patterns with one '*' ("group:*",
  // "certificate:*.farm.studio.com"). '*' does not match '/'.
  std::vector<std::string> identities;
};

// The section "access" of the configuration. Without roles, callers on this machine may do
// everything, and others may query.
struct AccessOptions {
  std::vector<TokenIssuer> tokens;
  std::vector<RoleOptions> roles;  // the first that selects an identity counts
};

}  // namespace stagedoor::server

#endif  // STAGEDOOR_SERVER_ACCESS_ACCESS_OPTIONS_H_

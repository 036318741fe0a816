#ifndef STAGEDOOR_SERVER_ACCESS_TOKEN_VERIFIER_H_
#define STAGEDOOR_SERVER_ACCESS_TOKEN_VERIFIER_H_

#include <chrono>
#include <cstddef>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "server/access/access_options.h"
#include "server/access/compact_token.h"
#include "server/access/identity.h"
#include "server/access/json_web_key_set.h"

namespace stagedoor::server {

// A point in time of a token. Milliseconds, because nanoseconds end in the year 2262.
using TokenTime = std::chrono::sys_time<std::chrono::milliseconds>;

inline constexpr std::chrono::seconds kMaxClockSkew = std::chrono::hours(1);

// How many keys are tried for a token that names none.
inline constexpr size_t kMaxKeysTried = 8;

struct VerifiedToken {
  Identity identity;
  TokenTime expires;  // including the clock skew
};

// INVALID_ARGUMENT names the option that is wrong.
absl::Status CheckTokenIssuer(const TokenIssuer& issuer);

// Verifies that the issuer, which CheckTokenIssuer accepted, signed the token with one of `keys`,
// for its audience, and that it is valid at `now`; then reads whom it identifies. UNAUTHENTICATED
// otherwise, with a reason that does not hold the token. The claims are not looked at before the
// signature is verified.
absl::StatusOr<VerifiedToken> VerifyToken(const CompactToken& token, const TokenIssuer& issuer,
                                          const JsonWebKeySet& keys, TokenTime now);

}  // namespace stagedoor::server

#endif  // STAGEDOOR_SERVER_ACCESS_TOKEN_VERIFIER_H_

#ifndef STAGEDOOR_SERVER_ACCESS_COMPACT_TOKEN_H_
#define STAGEDOOR_SERVER_ACCESS_COMPACT_TOKEN_H_

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "nlohmann/json.hpp"
#include "server/access/signature_algorithm.h"

namespace stagedoor::server {

// Larger tokens are refused before they are decoded.
inline constexpr size_t kMaxTokenBytes = size_t{16} << 10;

// A JSON Web Token in its compact form (RFC 7515, RFC 7519), taken apart. Nothing in it is
// verified.
struct CompactToken {
  SignatureAlgorithm algorithm = SignatureAlgorithm::kRs256;
  std::optional<std::string> key_id;  // "kid"
  nlohmann::json claims;              // an object
  std::string_view signed_text;       // a part of the text that was parsed
  std::string signature;

  // UNAUTHENTICATED, with a reason that does not hold the token, for anything but a signed token
  // with an algorithm that is accepted and without critical extensions. Members of the header that
  // name or hold keys ("jwk", "jku", "x5c") are ignored.
  static absl::StatusOr<CompactToken> Parse(std::string_view text);

  // Whether "iss" is `issuer`.
  bool IsFrom(std::string_view issuer) const;
  // Whether "aud" is `audience` or a list that holds it.
  bool IsFor(std::string_view audience) const;
};

}  // namespace stagedoor::server

#endif  // STAGEDOOR_SERVER_ACCESS_COMPACT_TOKEN_H_

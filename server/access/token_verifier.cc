#include "server/access/token_verifier.h"

#include <cmath>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/status.h"
#include "base/status_macros.h"
#include "server/access/identity_text.h"
#include "server/access/unauthenticated.h"

namespace stagedoor::server {
namespace {

using Json = nlohmann::json;

constexpr double kMaxTokenSeconds = 253402300799;  // the end of the year 9999

absl::Status CheckSignature(const CompactToken& token, const JsonWebKeySet& keys) {
  if (token.key_id) {
    for (const JsonWebKey& key : keys.keys()) {
      if (key.id != *token.key_id) continue;
      if (!key.Fits(token.algorithm)) {
        return UnauthenticatedError("the algorithm of the token does not fit the key it names");
      }
      if (VerifySignature(token.algorithm, key.key.get(), token.signed_text, token.signature)) {
        return absl::OkStatus();
      }
      return UnauthenticatedError("the signature of the token is wrong");
    }
    return UnauthenticatedError("the token names a key that its issuer does not have");
  }
  std::vector<EVP_PKEY*> fitting;
  for (const JsonWebKey& key : keys.keys()) {
    if (key.Fits(token.algorithm)) fitting.push_back(key.key.get());
  }
  if (fitting.size() > kMaxKeysTried) {
    return UnauthenticatedError("the token must name its key ('kid'): more than ", kMaxKeysTried,
                                " keys of the issuer fit");
  }
  for (EVP_PKEY* key : fitting) {
    if (VerifySignature(token.algorithm, key, token.signed_text, token.signature)) {
      return absl::OkStatus();
    }
  }
  return UnauthenticatedError(fitting.empty()
                                  ? "no key of the issuer fits the algorithm of the token"
                                  : "the signature of the token is wrong");
}

// The time of a claim; nothing if it is absent.
absl::StatusOr<std::optional<TokenTime>> Time(const Json& claims, const char* name) {
  const auto claim = claims.find(name);
  if (claim == claims.end()) return std::nullopt;
  const double seconds = claim->is_number() ? claim->get<double>() : -1;
  // Also refuses what is not a number.
  if (!(seconds >= 0 && seconds <= kMaxTokenSeconds)) {
    return UnauthenticatedError("the claim '", name,
                                "' of the token must be in seconds since 1970");
  }
  return TokenTime(std::chrono::milliseconds(static_cast<int64_t>(std::floor(seconds * 1000))));
}

// The time until which the token is valid.
absl::StatusOr<TokenTime> CheckTimes(const Json& claims, std::chrono::seconds skew, TokenTime now) {
  SD_ASSIGN_OR_RETURN(const std::optional<TokenTime> expires, Time(claims, "exp"));
  SD_ASSIGN_OR_RETURN(const std::optional<TokenTime> begins, Time(claims, "nbf"));
  SD_ASSIGN_OR_RETURN(const std::optional<TokenTime> issued, Time(claims, "iat"));
  if (!expires) return UnauthenticatedError("the token must have an end ('exp')");
  if (now >= *expires + skew) return UnauthenticatedError("the token has expired");
  if (begins && now < *begins - skew) return UnauthenticatedError("the token is not valid yet");
  if (issued && now < *issued - skew) {
    return UnauthenticatedError("the token was issued in the future; check the clocks");
  }
  return *expires + skew;
}

// A text of the issuer that becomes part of an identity.
bool IsIdentityValue(const Json& value) {
  return value.is_string() && server::IsIdentityText(value.get_ref<const std::string&>());
}

absl::StatusOr<Identity> ReadIdentity(const Json& claims, const TokenIssuer& issuer) {
  const auto name = claims.find(issuer.name_claim);
  if (name == claims.end() || !IsIdentityValue(*name)) {
    return UnauthenticatedError("the claim ", Quoted(issuer.name_claim),
                                " of the token must be a text of 1 to ", kMaxIdentityTextBytes,
                                " bytes without control characters");
  }
  Identity identity;
  identity.method = Identity::Method::kToken;
  identity.name = Concat("user:", name->get_ref<const std::string&>());
  const auto groups = claims.find(issuer.groups_claim);
  if (groups == claims.end()) return identity;
  if (!groups->is_array() || groups->size() > kMaxIdentityAliases) {
    return UnauthenticatedError("the claim ", Quoted(issuer.groups_claim),
                                " of the token must be a list of at most ", kMaxIdentityAliases,
                                " groups");
  }
  for (const Json& group : *groups) {
    if (!IsIdentityValue(group)) {
      return UnauthenticatedError("the groups in the claim ", Quoted(issuer.groups_claim),
                                  " of the token must be texts of 1 to ", kMaxIdentityTextBytes,
                                  " bytes without control characters");
    }
    identity.aliases.push_back(Concat("group:", group.get_ref<const std::string&>()));
  }
  return identity;
}

}  // namespace

absl::Status CheckTokenIssuer(const TokenIssuer& issuer) {
  if (issuer.issuer.empty()) return InvalidArgumentError("the issuer of tokens is missing");
  const auto wrong = [&issuer](std::string_view what) {
    return InvalidArgumentError("tokens of ", Quoted(issuer.issuer), ": ", what);
  };
  if (issuer.audience.empty()) return wrong("the audience is missing");
  if (issuer.jwks_file.empty()) return wrong("the file of keys is missing");
  if (issuer.name_claim.empty()) return wrong("the claim for the name is missing");
  if (issuer.clock_skew < std::chrono::seconds(0) || issuer.clock_skew > kMaxClockSkew) {
    return wrong("the clock skew must be from 0 to 3600 seconds");
  }
  return absl::OkStatus();
}

absl::StatusOr<VerifiedToken> VerifyToken(const CompactToken& token, const TokenIssuer& issuer,
                                          const JsonWebKeySet& keys, TokenTime now) {
  SD_RETURN_IF_ERROR(CheckSignature(token, keys));
  if (!token.IsFrom(issuer.issuer)) {
    return UnauthenticatedError("the token comes from an unknown issuer");
  }
  if (!token.IsFor(issuer.audience)) {
    return UnauthenticatedError("the token was issued for another audience");
  }
  VerifiedToken verified;
  SD_ASSIGN_OR_RETURN(verified.expires, CheckTimes(token.claims, issuer.clock_skew, now));
  SD_ASSIGN_OR_RETURN(verified.identity, ReadIdentity(token.claims, issuer));
  return verified;
}

}  // namespace stagedoor::server

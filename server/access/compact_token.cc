#include "server/access/compact_token.h"

#include <algorithm>
#include <array>
#include <utility>

#include "base/status.h"
#include "base/status_macros.h"
#include "server/access/base64url.h"
#include "server/access/bounded_json.h"
#include "server/access/json_web_key_set.h"
#include "server/access/unauthenticated.h"

namespace stagedoor::server {
namespace {

using Json = nlohmann::json;

// The header, the claims and the signature, still encoded.
absl::StatusOr<std::array<std::string_view, 3>> Split(std::string_view text) {
  const auto dots = std::count(text.begin(), text.end(), '.');
  if (dots == 4) return UnauthenticatedError("encrypted tokens are not accepted");
  if (dots != 2) {
    return UnauthenticatedError("the bearer token is not a JSON Web Token of three parts");
  }
  const size_t first = text.find('.');
  const size_t last = text.rfind('.');
  return std::array{text.substr(0, first), text.substr(first + 1, last - first - 1),
                    text.substr(last + 1)};
}

absl::StatusOr<std::string> Decode(std::string_view part, std::string_view name) {
  std::optional<std::string> bytes = DecodeBase64Url(part);
  if (bytes && !bytes->empty()) return *std::move(bytes);
  return UnauthenticatedError("the ", name, " of the token ",
                              part.empty() ? "is empty" : "is not base64url without padding");
}

absl::StatusOr<Json> DecodeObject(std::string_view part, std::string_view name) {
  SD_ASSIGN_OR_RETURN(const std::string text, Decode(part, name));
  absl::StatusOr<Json> json = ParseJsonObject(text);
  if (!json.ok()) {
    return UnauthenticatedError("the ", name, " of the token ", Message(json.status()));
  }
  return json;
}

absl::Status ReadHeader(const Json& header, CompactToken& token) {
  const auto alg = header.find("alg");
  if (alg == header.end() || !alg->is_string()) {
    return UnauthenticatedError("the token names no algorithm ('alg')");
  }
  const auto algorithm = ParseSignatureAlgorithm(alg->get_ref<const std::string&>());
  if (!algorithm) {
    return UnauthenticatedError(
        "the algorithm of the token is not accepted; sign tokens with RS256, RS384, RS512, ES256, "
        "ES384 or EdDSA");
  }
  token.algorithm = *algorithm;
  if (header.contains("crit")) {
    return UnauthenticatedError("the token needs an extension that is not supported ('crit')");
  }
  if (const auto kid = header.find("kid"); kid != header.end()) {
    if (!kid->is_string() || kid->get_ref<const std::string&>().empty() ||
        kid->get_ref<const std::string&>().size() > kMaxKeyIdBytes) {
      return UnauthenticatedError("the token has an invalid 'kid'");
    }
    token.key_id = kid->get<std::string>();
  }
  return absl::OkStatus();
}

bool IsText(const Json& value, std::string_view text) {
  return value.is_string() && value.get_ref<const std::string&>() == text;
}

}  // namespace

absl::StatusOr<CompactToken> CompactToken::Parse(std::string_view text) {
  if (text.size() > kMaxTokenBytes) {
    return UnauthenticatedError("the token is larger than ", kMaxTokenBytes, " bytes");
  }
  SD_ASSIGN_OR_RETURN(const auto parts, Split(text));
  const auto& [header_part, claims_part, signature_part] = parts;
  CompactToken token;
  SD_ASSIGN_OR_RETURN(const Json header, DecodeObject(header_part, "header"));
  SD_RETURN_IF_ERROR(ReadHeader(header, token));
  SD_ASSIGN_OR_RETURN(token.claims, DecodeObject(claims_part, "second part"));
  SD_ASSIGN_OR_RETURN(token.signature, Decode(signature_part, "signature"));
  token.signed_text = text.substr(0, header_part.size() + 1 + claims_part.size());
  return token;
}

bool CompactToken::IsFrom(std::string_view issuer) const {
  const auto iss = claims.find("iss");
  return iss != claims.end() && IsText(*iss, issuer);
}

bool CompactToken::IsFor(std::string_view audience) const {
  const auto aud = claims.find("aud");
  if (aud == claims.end()) return false;
  if (!aud->is_array()) return IsText(*aud, audience);
  return std::any_of(aud->begin(), aud->end(),
                     [audience](const Json& item) { return IsText(item, audience); });
}

}  // namespace stagedoor::server

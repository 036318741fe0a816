#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "server/access/identity_text.h"
#include "server/access/testing/test_signing_key.h"
#include "server/access/token_verifier.h"

namespace stagedoor::server {
namespace {

constexpr TokenTime kNow{std::chrono::seconds(1'000'000)};

struct Setup {
  TestSigningKey key = TestSigningKey::Ed25519FromSeed("0123456789abcdef0123456789abcdef");
  absl::StatusOr<JsonWebKeySet> keys = JsonWebKeySet::Parse(TestKeySet(key.Jwk("k")));
  TokenIssuer issuer{.issuer = "i", .audience = "a", .jwks_file = "/keys"};
};

// Whether the token is accepted. One that is must give an identity that can be used.
bool Accepts(const Setup& setup, std::string_view text) {
  const auto token = CompactToken::Parse(text);
  if (!token.ok()) return false;
  const auto verified = VerifyToken(*token, setup.issuer, *setup.keys, kNow);
  if (ERR_peek_error() != 0) abort();
  if (!verified.ok()) return false;
  const Identity& identity = verified->identity;
  if (!identity.name.starts_with("user:") || !IsIdentityText(identity.name.substr(5))) abort();
  if (identity.aliases.size() > kMaxIdentityAliases) abort();
  for (const std::string& alias : identity.aliases) {
    if (!alias.starts_with("group:") || !IsIdentityText(alias.substr(6))) abort();
  }
  if (verified->expires <= kNow) abort();
  return true;
}

}  // namespace
}  // namespace stagedoor::server

// Reads any bytes as a token, which must be refused; and as the header and the claims, separated by
// a line feed, of a token with a good signature.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace stagedoor::server;
  static const Setup setup;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  if (Accepts(setup, text)) abort();
  const size_t end = text.find('\n');
  if (end == text.npos) return 0;
  (void)Accepts(setup, setup.key.Token(text.substr(0, end), text.substr(end + 1), ""));
  return 0;
}

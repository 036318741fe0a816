#ifndef STAGEDOOR_SERVER_ACCESS_TOKEN_VERIFIERS_H_
#define STAGEDOOR_SERVER_ACCESS_TOKEN_VERIFIERS_H_

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "base/lru_cache.h"
#include "server/access/access_options.h"
#include "server/access/compact_token.h"
#include "server/access/identity.h"
#include "server/access/key_set_file.h"
#include "server/access/token_verifier.h"

namespace stagedoor::server {

struct TokenVerifiersOptions {
  std::function<std::chrono::system_clock::time_point()> now = std::chrono::system_clock::now;
  KeySetFile::Warn warn;  // may be empty
  size_t max_cached_tokens = 16384;
  size_t max_cached_bytes = size_t{16} << 20;
};

// Verifies the bearer tokens of all issuers that are accepted. Thread-safe.
//
// Clients send the same token with every call, so whom a token identifies is remembered by its
// SHA-256: until it expires, for at most kMaxCachedTime, and as long as the keys of its issuer stay
// the same. Tokens that are refused are not remembered.
class TokenVerifiers {
 public:
  static constexpr std::chrono::minutes kMaxCachedTime{5};

  // Reads the keys of all issuers. INVALID_ARGUMENT for options that are wrong, or for two issuers
  // that accept the same tokens; the errors of KeySetFile::Open.
  static absl::StatusOr<std::unique_ptr<TokenVerifiers>> Create(
      std::span<const TokenIssuer> issuers, TokenVerifiersOptions options = {});

  // Whom the token identifies. `token` is the text after "Bearer ". UNAUTHENTICATED, with a reason
  // that does not hold the token, if it does not prove that.
  absl::StatusOr<std::shared_ptr<const Identity>> Verify(std::string_view token);

  LruCacheStats cache_stats() const { return cache_.Stats(); }

 private:
  using Digest = std::array<uint8_t, 32>;
  struct DigestHash {
    size_t operator()(const Digest& digest) const;
  };
  struct Issuer {
    TokenIssuer options;
    std::unique_ptr<KeySetFile> file;
  };
  struct CachedToken {
    Identity identity;
    TokenTime expires;
    const Issuer* issuer = nullptr;
    std::shared_ptr<const JsonWebKeySet> keys;  // that verified it
  };

  explicit TokenVerifiers(TokenVerifiersOptions options);

  // The issuer that the token claims to come from, for its audience.
  absl::StatusOr<const Issuer*> FindIssuer(const CompactToken& token) const;
  absl::StatusOr<CachedToken> VerifyNow(std::string_view token,
                                        std::chrono::system_clock::time_point now) const;

  const TokenVerifiersOptions options_;
  std::vector<Issuer> issuers_;  // constant once created
  LruCache<Digest, CachedToken, DigestHash> cache_;
};

}  // namespace stagedoor::server

#endif  // STAGEDOOR_SERVER_ACCESS_TOKEN_VERIFIERS_H_

#include "server/access/token_verifiers.h"

#include <openssl/evp.h>

#include <algorithm>
#include <cstring>
#include <new>
#include <utility>

#include "base/request_context.h"
#include "base/status.h"
#include "base/status_macros.h"
#include "server/access/unauthenticated.h"

namespace stagedoor::server {
namespace {

TokenTime ToTokenTime(std::chrono::system_clock::time_point time) {
  return std::chrono::floor<std::chrono::milliseconds>(time);
}

size_t BytesOf(const Identity& identity) {
  size_t bytes = 256 + identity.name.size();
  for (const std::string& alias : identity.aliases) bytes += sizeof(std::string) + alias.size();
  return bytes;
}

}  // namespace

size_t TokenVerifiers::DigestHash::operator()(const Digest& digest) const {
  size_t hash;
  std::memcpy(&hash, digest.data(), sizeof(hash));
  return hash;
}

TokenVerifiers::TokenVerifiers(TokenVerifiersOptions options)
    : options_(std::move(options)),
      cache_({.max_bytes = options_.max_cached_bytes, .max_entries = options_.max_cached_tokens}) {}

absl::StatusOr<std::unique_ptr<TokenVerifiers>> TokenVerifiers::Create(
    std::span<const TokenIssuer> issuers, TokenVerifiersOptions options) {
  std::unique_ptr<TokenVerifiers> verifiers(new TokenVerifiers(std::move(options)));
  for (const TokenIssuer& issuer : issuers) {
    SD_RETURN_IF_ERROR(CheckTokenIssuer(issuer));
    for (const Issuer& other : verifiers->issuers_) {
      if (other.options.issuer == issuer.issuer && other.options.audience == issuer.audience) {
        return InvalidArgumentError("tokens of ", Quoted(issuer.issuer), " for ",
                                    Quoted(issuer.audience), " are configured twice");
      }
    }
    SD_ASSIGN_OR_RETURN(
        std::unique_ptr<KeySetFile> file,
        KeySetFile::Open(issuer.jwks_file, verifiers->options_.now(), verifiers->options_.warn));
    verifiers->issuers_.push_back({issuer, std::move(file)});
  }
  return verifiers;
}

absl::StatusOr<std::shared_ptr<const Identity>> TokenVerifiers::Verify(std::string_view token) {
  if (token.size() > kMaxTokenBytes) {
    return UnauthenticatedError("the token is larger than ", kMaxTokenBytes, " bytes");
  }
  Digest digest;
  if (EVP_Digest(token.data(), token.size(), digest.data(), nullptr, EVP_sha256(), nullptr) != 1) {
    throw std::bad_alloc();  // the only way in which it can fail
  }
  const auto now = options_.now();
  const auto identity_of = [](std::shared_ptr<const CachedToken> cached) {
    const Identity* identity = &cached->identity;
    return std::shared_ptr<const Identity>(std::move(cached), identity);
  };
  if (std::shared_ptr<const CachedToken> cached = cache_.Get(digest)) {
    const bool valid =
        ToTokenTime(now) < cached->expires && cached->issuer->file->Keys(now) == cached->keys;
    if (valid) return identity_of(std::move(cached));
    cache_.Erase(digest);
  }
  RequestContext context;
  SD_ASSIGN_OR_RETURN(
      std::shared_ptr<const CachedToken> cached,
      cache_.GetOrLoad(context, digest, [&]() -> absl::StatusOr<decltype(cache_)::Loaded> {
        SD_ASSIGN_OR_RETURN(CachedToken verified, VerifyNow(token, now));
        const size_t bytes = BytesOf(verified.identity);
        return decltype(cache_)::Loaded{std::make_shared<const CachedToken>(std::move(verified)),
                                        bytes};
      }));
  return identity_of(std::move(cached));
}

absl::StatusOr<const TokenVerifiers::Issuer*> TokenVerifiers::FindIssuer(
    const CompactToken& token) const {
  bool known = false;
  for (const Issuer& issuer : issuers_) {
    if (!token.IsFrom(issuer.options.issuer)) continue;
    known = true;
    if (token.IsFor(issuer.options.audience)) return &issuer;
  }
  return known ? UnauthenticatedError("the token was issued for another audience")
               : UnauthenticatedError("the token comes from an unknown issuer");
}

absl::StatusOr<TokenVerifiers::CachedToken> TokenVerifiers::VerifyNow(
    std::string_view token, std::chrono::system_clock::time_point now) const {
  SD_ASSIGN_OR_RETURN(const CompactToken parsed, CompactToken::Parse(token));
  CachedToken cached;
  SD_ASSIGN_OR_RETURN(cached.issuer, FindIssuer(parsed));
  cached.keys = cached.issuer->file->Keys(now);
  SD_ASSIGN_OR_RETURN(VerifiedToken verified,
                      VerifyToken(parsed, cached.issuer->options, *cached.keys, ToTokenTime(now)));
  cached.identity = std::move(verified.identity);
  cached.expires = std::min<TokenTime>(verified.expires, ToTokenTime(now) + kMaxCachedTime);
  return cached;
}

}  // namespace stagedoor::server

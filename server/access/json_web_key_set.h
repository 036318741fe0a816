#ifndef STAGEDOOR_SERVER_ACCESS_JSON_WEB_KEY_SET_H_
#define STAGEDOOR_SERVER_ACCESS_JSON_WEB_KEY_SET_H_

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "base/openssl_pointers.h"
#include "server/access/signature_algorithm.h"

namespace stagedoor::server {

// A public key that verifies tokens (RFC 7517, RFC 8037).
struct JsonWebKey {
  KeyType type = KeyType::kRsa;
  std::string id;                               // "kid"; empty if it has none
  std::optional<SignatureAlgorithm> algorithm;  // "alg": the only one that it may be used with
  KeyPointer key;

  // Whether the key may verify signatures of the algorithm.
  bool Fits(SignatureAlgorithm other) const {
    return type == KeyTypeOf(other) && (!algorithm || *algorithm == other);
  }
};

inline constexpr size_t kMaxKeySetBytes = size_t{256} << 10;
inline constexpr size_t kMaxKeysPerSet = 64;
inline constexpr size_t kMaxKeyIdBytes = 256;

// The public keys of an issuer of tokens. Immutable and thread-safe.
class JsonWebKeySet {
 public:
  // Parses a JWK Set. Used are RSA keys of 2048 to 8192 bits, the curves P-256 and P-384, and
  // Ed25519. Keys of other types, for other purposes (encryption) or other algorithms are skipped,
  // as RFC 7517 asks; a set without any key that can be used accepts no token.
  // INVALID_ARGUMENT names the key by index and "kid": a key of these types that is malformed, weak
  // or private, two keys with one "kid", more than kMaxKeysPerSet keys, more than kMaxKeySetBytes.
  static absl::StatusOr<JsonWebKeySet> Parse(std::string_view text);

  const std::vector<JsonWebKey>& keys() const { return keys_; }

 private:
  std::vector<JsonWebKey> keys_;
};

}  // namespace stagedoor::server

#endif  // STAGEDOOR_SERVER_ACCESS_JSON_WEB_KEY_SET_H_

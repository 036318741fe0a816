#ifndef STAGEDOOR_SERVER_ACCESS_SIGNATURE_ALGORITHM_H_
#define STAGEDOOR_SERVER_ACCESS_SIGNATURE_ALGORITHM_H_

#include <openssl/evp.h>

#include <cstddef>
#include <optional>
#include <string_view>

namespace stagedoor::server {

// The types of public keys that verify signatures.
enum class KeyType { kRsa, kP256, kP384, kEd25519 };

// The algorithms of signatures that are accepted (RFC 7518, 3.1; RFC 8037). Neither "none" nor
// those with a shared secret (HS256 …), so that a public key is never taken for a secret.
enum class SignatureAlgorithm { kRs256, kRs384, kRs512, kEs256, kEs384, kEdDsa };

// By its exact name ("RS256"); nothing for any other.
std::optional<SignatureAlgorithm> ParseSignatureAlgorithm(std::string_view name);

// The only type of key that the algorithm works with.
KeyType KeyTypeOf(SignatureAlgorithm algorithm);

// Bytes of a coordinate of an elliptic curve; half a signature with it. 0 for other types.
size_t CoordinateBytes(KeyType type);

// Whether `signature`, in the form of RFC 7518 (r and s side by side for ECDSA), is that of `text`.
// The key must have the type KeyTypeOf(algorithm). Leaves no errors in OpenSSL's queue.
bool VerifySignature(SignatureAlgorithm algorithm, EVP_PKEY* key, std::string_view text,
                     std::string_view signature);

}  // namespace stagedoor::server

#endif  // STAGEDOOR_SERVER_ACCESS_SIGNATURE_ALGORITHM_H_

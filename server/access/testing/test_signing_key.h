#ifndef STAGEDOOR_SERVER_ACCESS_TESTING_TEST_SIGNING_KEY_H_
#define STAGEDOOR_SERVER_ACCESS_TESTING_TEST_SIGNING_KEY_H_

#include <string>
#include <string_view>

#include "base/openssl_pointers.h"
#include "server/access/signature_algorithm.h"

namespace stagedoor::server {

// A private key of an issuer of tokens, for tests. Each is a new one, unless it says otherwise.
class TestSigningKey {
 public:
  static TestSigningKey Rsa(int bits = 2048);
  static TestSigningKey P256();
  static TestSigningKey P384();
  static TestSigningKey Ed25519();
  // A key that is derived from the seed, a text of 32 bytes. Equal seeds give equal keys.
  static TestSigningKey Ed25519FromSeed(std::string_view seed);

  // The public key as a JSON Web Key. `more` is JSON that is added, such as R"("alg":"ES256")".
  std::string Jwk(std::string_view kid, std::string_view more = "") const;

  // The signature of `text` in the form of RFC 7518. `digest` is of the algorithm ("SHA256"); empty
  // for Ed25519.
  std::string Sign(std::string_view text, std::string_view digest) const;

  // A token with the header and claims, which are JSON.
  std::string Token(std::string_view header, std::string_view claims,
                    std::string_view digest) const;

  EVP_PKEY* key() const { return key_.get(); }

 private:
  TestSigningKey(KeyType type, KeyPointer key) : type_(type), key_(std::move(key)) {}

  KeyType type_;
  KeyPointer key_;
};

std::string EncodeBase64Url(std::string_view bytes);

// {"keys": [...]}, of keys as Jwk writes them, separated by commas.
std::string TestKeySet(std::string_view keys);

}  // namespace stagedoor::server

#endif  // STAGEDOOR_SERVER_ACCESS_TESTING_TEST_SIGNING_KEY_H_

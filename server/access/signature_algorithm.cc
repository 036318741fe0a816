#include "server/access/signature_algorithm.h"

#include <openssl/rsa.h>

#include <array>
#include <new>
#include <string>

#include "base/openssl_pointers.h"

namespace stagedoor::server {
namespace {

struct Description {
  std::string_view name;
  KeyType key_type;
  const EVP_MD* (*digest)();  // null if the algorithm has its own
};

// In the order of SignatureAlgorithm.
constexpr std::array<Description, 6> kAlgorithms = {{
    {"RS256", KeyType::kRsa, EVP_sha256},
    {"RS384", KeyType::kRsa, EVP_sha384},
    {"RS512", KeyType::kRsa, EVP_sha512},
    {"ES256", KeyType::kP256, EVP_sha256},
    {"ES384", KeyType::kP384, EVP_sha384},
    {"EdDSA", KeyType::kEd25519, nullptr},
}};

const Description& Describe(SignatureAlgorithm algorithm) {
  return kAlgorithms[static_cast<size_t>(algorithm)];
}

const unsigned char* Bytes(std::string_view text) {
  return reinterpret_cast<const unsigned char*>(text.data());
}

// The signature in the form that OpenSSL expects (DER); nothing if it does not have two halves of
// the right size.
std::optional<std::string> EcdsaDer(std::string_view signature, size_t half) {
  if (signature.size() != 2 * half) return std::nullopt;
  BignumPointer r(BN_bin2bn(Bytes(signature), static_cast<int>(half), nullptr));
  BignumPointer s(BN_bin2bn(Bytes(signature.substr(half)), static_cast<int>(half), nullptr));
  const EcdsaSignaturePointer pair(ECDSA_SIG_new());
  if (r == nullptr || s == nullptr || pair == nullptr) throw std::bad_alloc();
  ECDSA_SIG_set0(pair.get(), r.release(), s.release());
  unsigned char* der = nullptr;
  const int size = i2d_ECDSA_SIG(pair.get(), &der);
  if (size <= 0) return std::nullopt;
  std::string text(reinterpret_cast<const char*>(der), static_cast<size_t>(size));
  OPENSSL_free(der);
  return text;
}

bool Verify(const Description& algorithm, EVP_PKEY* key, std::string_view text,
            std::string_view signature) {
  const DigestContextPointer context(EVP_MD_CTX_new());
  if (context == nullptr) throw std::bad_alloc();
  EVP_PKEY_CTX* key_context = nullptr;  // owned by `context`
  const EVP_MD* digest = algorithm.digest == nullptr ? nullptr : algorithm.digest();
  if (EVP_DigestVerifyInit(context.get(), &key_context, digest, nullptr, key) != 1) return false;
  if (algorithm.key_type == KeyType::kRsa &&
      EVP_PKEY_CTX_set_rsa_padding(key_context, RSA_PKCS1_PADDING) != 1) {
    return false;
  }
  return EVP_DigestVerify(context.get(), Bytes(signature), signature.size(), Bytes(text),
                          text.size()) == 1;
}

}  // namespace

std::optional<SignatureAlgorithm> ParseSignatureAlgorithm(std::string_view name) {
  for (size_t i = 0; i < kAlgorithms.size(); ++i) {
    if (kAlgorithms[i].name == name) return static_cast<SignatureAlgorithm>(i);
  }
  return std::nullopt;
}

KeyType KeyTypeOf(SignatureAlgorithm algorithm) { return Describe(algorithm).key_type; }

size_t CoordinateBytes(KeyType type) {
  switch (type) {
    case KeyType::kP256:
      return 32;
    case KeyType::kP384:
      return 48;
    case KeyType::kRsa:
    case KeyType::kEd25519:
      break;
  }
  return 0;
}

bool VerifySignature(SignatureAlgorithm algorithm, EVP_PKEY* key, std::string_view text,
                     std::string_view signature) {
  const OpensslErrorScope errors;
  const Description& description = Describe(algorithm);
  const size_t half = CoordinateBytes(description.key_type);
  if (half == 0) return Verify(description, key, text, signature);
  const std::optional<std::string> der = EcdsaDer(signature, half);
  return der.has_value() && Verify(description, key, text, *der);
}

}  // namespace stagedoor::server

#include "server/access/testing/test_signing_key.h"

#include <openssl/core_names.h>
#include <openssl/rsa.h>

#include <cstdlib>
#include <utility>
#include <vector>

#include "base/strings.h"

namespace stagedoor::server {
namespace {

void Require(bool ok) {
  if (!ok) std::abort();
}

const unsigned char* Unsigned(std::string_view bytes) {
  return reinterpret_cast<const unsigned char*>(bytes.data());
}

std::string ParamNumber(EVP_PKEY* key, const char* name, size_t bytes) {
  BIGNUM* number = nullptr;
  Require(EVP_PKEY_get_bn_param(key, name, &number) == 1);
  const BignumPointer owned(number);
  const int size = bytes == 0 ? BN_num_bytes(number) : static_cast<int>(bytes);
  std::vector<unsigned char> text(static_cast<size_t>(size));
  Require(BN_bn2binpad(number, text.data(), size) == size);
  return EncodeBase64Url({reinterpret_cast<const char*>(text.data()), text.size()});
}

// r and s side by side.
std::string RawSignature(std::string_view der, size_t half) {
  const unsigned char* at = Unsigned(der);
  const EcdsaSignaturePointer pair(d2i_ECDSA_SIG(nullptr, &at, static_cast<long>(der.size())));
  Require(pair != nullptr);
  std::vector<unsigned char> raw(2 * half);
  const int size = static_cast<int>(half);
  Require(BN_bn2binpad(ECDSA_SIG_get0_r(pair.get()), raw.data(), size) == size);
  Require(BN_bn2binpad(ECDSA_SIG_get0_s(pair.get()), raw.data() + half, size) == size);
  return {reinterpret_cast<const char*>(raw.data()), raw.size()};
}

}  // namespace

TestSigningKey TestSigningKey::Rsa(int bits) {
  return {KeyType::kRsa, KeyPointer(EVP_RSA_gen(static_cast<unsigned>(bits)))};
}
TestSigningKey TestSigningKey::P256() { return {KeyType::kP256, KeyPointer(EVP_EC_gen("P-256"))}; }
TestSigningKey TestSigningKey::P384() { return {KeyType::kP384, KeyPointer(EVP_EC_gen("P-384"))}; }
TestSigningKey TestSigningKey::Ed25519() {
  return {KeyType::kEd25519, KeyPointer(EVP_PKEY_Q_keygen(nullptr, nullptr, "ED25519"))};
}
TestSigningKey TestSigningKey::Ed25519FromSeed(std::string_view seed) {
  return {KeyType::kEd25519, KeyPointer(EVP_PKEY_new_raw_private_key(EVP_PKEY_ED25519, nullptr,
                                                                     Unsigned(seed), seed.size()))};
}

std::string TestSigningKey::Jwk(std::string_view kid, std::string_view more) const {
  std::string jwk = Concat("{\"kid\":\"", kid, "\",");
  if (type_ == KeyType::kRsa) {
    jwk += Concat(R"("kty":"RSA","n":")", ParamNumber(key(), OSSL_PKEY_PARAM_RSA_N, 0),
                  R"(","e":")", ParamNumber(key(), OSSL_PKEY_PARAM_RSA_E, 0), '"');
  } else if (type_ == KeyType::kEd25519) {
    unsigned char raw[32];
    size_t size = sizeof(raw);
    Require(EVP_PKEY_get_raw_public_key(key(), raw, &size) == 1);
    jwk += Concat(R"("kty":"OKP","crv":"Ed25519","x":")",
                  EncodeBase64Url({reinterpret_cast<const char*>(raw), size}), '"');
  } else {
    const size_t bytes = CoordinateBytes(type_);
    jwk += Concat(R"("kty":"EC","crv":")", type_ == KeyType::kP256 ? "P-256" : "P-384",
                  R"(","x":")", ParamNumber(key(), OSSL_PKEY_PARAM_EC_PUB_X, bytes), R"(","y":")",
                  ParamNumber(key(), OSSL_PKEY_PARAM_EC_PUB_Y, bytes), '"');
  }
  if (!more.empty()) jwk += Concat(',', more);
  return jwk + "}";
}

std::string TestSigningKey::Sign(std::string_view text, std::string_view digest) const {
  const DigestContextPointer context(EVP_MD_CTX_new());
  const std::string name(digest);
  Require(EVP_DigestSignInit_ex(context.get(), nullptr, name.empty() ? nullptr : name.c_str(),
                                nullptr, nullptr, key(), nullptr) == 1);
  size_t size = 0;
  Require(EVP_DigestSign(context.get(), nullptr, &size, Unsigned(text), text.size()) == 1);
  std::vector<unsigned char> bytes(size);
  Require(EVP_DigestSign(context.get(), bytes.data(), &size, Unsigned(text), text.size()) == 1);
  const std::string signature(reinterpret_cast<const char*>(bytes.data()), size);
  const size_t half = CoordinateBytes(type_);
  return half == 0 ? signature : RawSignature(signature, half);
}

std::string TestSigningKey::Token(std::string_view header, std::string_view claims,
                                  std::string_view digest) const {
  const std::string text = Concat(EncodeBase64Url(header), '.', EncodeBase64Url(claims));
  return Concat(text, '.', EncodeBase64Url(Sign(text, digest)));
}

std::string EncodeBase64Url(std::string_view bytes) {
  constexpr std::string_view kDigits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
  std::string text;
  unsigned pending = 0;
  int bits = 0;
  for (const char c : bytes) {
    pending = (pending << 8 | static_cast<unsigned char>(c)) & 0xffff;
    for (bits += 8; bits >= 6; bits -= 6) text.push_back(kDigits[pending >> (bits - 6) & 63]);
  }
  if (bits > 0) text.push_back(kDigits[pending << (6 - bits) & 63]);
  return text;
}

std::string TestKeySet(std::string_view keys) { return Concat("{\"keys\":[", keys, "]}"); }

}  // namespace stagedoor::server

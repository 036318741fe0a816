#include "server/access/json_web_key_set.h"

#include <openssl/err.h>

#include <string>
#include <string_view>

#include "base/status.h"
#include "gtest/gtest.h"
#include "server/access/testing/test_signing_key.h"

namespace stagedoor::server {
namespace {

std::string Problem(std::string_view keys) {
  const auto set = JsonWebKeySet::Parse(TestKeySet(keys));
  EXPECT_EQ(ERR_peek_error(), 0u);
  if (set.ok()) return "";
  EXPECT_EQ(set.status().code(), absl::StatusCode::kInvalidArgument);
  return std::string(Message(set.status()));
}

std::string Coordinate(size_t bytes) { return EncodeBase64Url(std::string(bytes, 'x')); }

class JsonWebKeySetTest : public ::testing::Test {
 protected:
  static const TestSigningKey& Rsa() {
    static const TestSigningKey key = TestSigningKey::Rsa();
    return key;
  }
  const TestSigningKey p256_ = TestSigningKey::P256();
  const TestSigningKey ed25519_ = TestSigningKey::Ed25519();
};

TEST_F(JsonWebKeySetTest, ReadsKeysOfEachType) {
  const auto set = JsonWebKeySet::Parse(
      TestKeySet(Concat(Rsa().Jwk("r", R"("use":"sig","key_ops":["verify"],"x5c":[1])"), ',',
                        p256_.Jwk("a", R"("alg":"ES256")"), ',', TestSigningKey::P384().Jwk("b"),
                        ',', ed25519_.Jwk("c", R"("alg":"EdDSA")"))));
  ASSERT_TRUE(set.ok()) << set.status();
  ASSERT_EQ(set->keys().size(), 4u);
  EXPECT_EQ(set->keys()[0].type, KeyType::kRsa);
  EXPECT_EQ(set->keys()[0].id, "r");
  EXPECT_EQ(set->keys()[0].algorithm, std::nullopt);
  EXPECT_EQ(EVP_PKEY_eq(set->keys()[0].key.get(), Rsa().key()), 1);
  EXPECT_EQ(set->keys()[1].type, KeyType::kP256);
  EXPECT_EQ(set->keys()[1].algorithm, SignatureAlgorithm::kEs256);
  EXPECT_EQ(EVP_PKEY_eq(set->keys()[1].key.get(), p256_.key()), 1);
  EXPECT_EQ(set->keys()[2].type, KeyType::kP384);
  EXPECT_EQ(set->keys()[3].type, KeyType::kEd25519);
  EXPECT_EQ(EVP_PKEY_eq(set->keys()[3].key.get(), ed25519_.key()), 1);
}

TEST_F(JsonWebKeySetTest, KeysFitTheirAlgorithmOnly) {
  const auto set = JsonWebKeySet::Parse(
      TestKeySet(Concat(Rsa().Jwk("a"), ',', Rsa().Jwk("b", R"("alg":"RS384")"))));
  ASSERT_TRUE(set.ok()) << set.status();
  EXPECT_TRUE(set->keys()[0].Fits(SignatureAlgorithm::kRs256));
  EXPECT_TRUE(set->keys()[0].Fits(SignatureAlgorithm::kRs512));
  EXPECT_FALSE(set->keys()[0].Fits(SignatureAlgorithm::kEs256));
  EXPECT_FALSE(set->keys()[0].Fits(SignatureAlgorithm::kEdDsa));
  EXPECT_TRUE(set->keys()[1].Fits(SignatureAlgorithm::kRs384));
  EXPECT_FALSE(set->keys()[1].Fits(SignatureAlgorithm::kRs256));
}

TEST_F(JsonWebKeySetTest, SkipsWhatCannotVerifyTokens) {
  for (const std::string& key :
       {std::string(R"({"kty":"oct","k":"c2VjcmV0"})"), std::string(R"({"kty":"new"})"),
        std::string(R"({"kty":"EC","crv":"P-521","x":"","y":""})"),
        std::string(R"({"kty":"EC","crv":"secp256k1"})"),
        std::string(R"({"kty":"OKP","crv":"Ed448"})"),
        std::string(R"({"kty":"EC","crv":"Ed25519"})"), Rsa().Jwk("a", R"("use":"enc")"),
        Rsa().Jwk("a", R"("key_ops":["sign"])"), Rsa().Jwk("a", R"("alg":"PS256")"),
        Rsa().Jwk("a", R"("alg":"HS256")"), Rsa().Jwk("a", R"("alg":"none")")}) {
    const auto set = JsonWebKeySet::Parse(TestKeySet(Concat(key, ',', ed25519_.Jwk("a"))));
    ASSERT_TRUE(set.ok()) << set.status() << key;
    ASSERT_EQ(set->keys().size(), 1u) << key;
    EXPECT_EQ(set->keys()[0].type, KeyType::kEd25519);
  }
  EXPECT_EQ(Problem(""), "");
}

TEST_F(JsonWebKeySetTest, NamesTheKeyThatIsWrong) {
  const std::string good = ed25519_.Jwk("good");
  const struct {
    std::string key, problem;
  } kCases[] = {
      {"1", "key 1: must be a JSON object"},
      {"{}", "key 1: 'kty' is missing"},
      {R"({"kty":1})", "key 1: 'kty' must be a text"},
      {R"({"kty":"EC","kid":"x"})", "key 1 ('x'): 'crv' is missing"},
      {R"({"kty":"RSA","kid":"x","e":"AQAB"})", "key 1 ('x'): 'n' is missing"},
      {R"({"kty":"RSA","n":"A=","e":"AQAB"})", "key 1: 'n' must be base64url without padding"},
      {R"({"kty":"RSA","n":"","e":"AQAB"})", "key 1: 'n' must be base64url without padding"},
      {R"({"kty":"RSA","use":1})", "key 1: 'use' must be a text"},
      {R"({"kty":"RSA","key_ops":"verify"})", "key 1: 'key_ops' must be a list"},
      {Rsa().Jwk("k", R"("alg":"ES256")"),
       "key 1 ('k'): 'alg' is 'ES256', which this type of key cannot have"},
      {Rsa().Jwk("k", R"("d":"AA")"),
       "key 1 ('k'): the key is private; the file must hold public keys only"},
      {Rsa().Jwk(""), "key 1 (''): 'kid' must have 1 to 256 bytes"},
      {Concat(R"({"kty":"EC","crv":"P-256","x":")", Coordinate(32), R"(","y":")", Coordinate(32),
              R"("})"),
       "key 1: the point is not on the curve P-256"},
      {Concat(R"({"kty":"EC","crv":"P-384","x":")", Coordinate(32), R"(","y":")", Coordinate(48),
              R"("})"),
       "key 1: 'x' and 'y' must have 48 bytes"},
      {Concat(R"({"kty":"OKP","crv":"Ed25519","x":")", Coordinate(31), R"("})"),
       "key 1: 'x' must have 32 bytes"},
      {ed25519_.Jwk("good"), "key 1 ('good'): another key has the same 'kid'"},
  };
  for (const auto& c : kCases) EXPECT_EQ(Problem(Concat(good, ',', c.key)), c.problem) << c.key;
}

std::string RsaKey(std::string_view n, std::string_view e) {
  return Concat(R"({"kty":"RSA","n":")", EncodeBase64Url(n), R"(","e":")", EncodeBase64Url(e),
                R"("})");
}

TEST_F(JsonWebKeySetTest, RefusesWeakAndHugeRsaKeys) {
  const std::string_view e("\1\0\1", 3);
  const auto odd = [](size_t bytes) { return std::string(bytes, '\xff'); };
  EXPECT_EQ(Problem(RsaKey(odd(256), e)), "");
  EXPECT_EQ(Problem(RsaKey(odd(1024), e)), "");
  EXPECT_EQ(Problem(RsaKey("\x7f" + odd(255), e)),
            "key 0: 'n' must be an odd number of 2048 to 8192 bits; it has 2047");
  EXPECT_EQ(Problem(RsaKey("\1" + odd(1024), e)),
            "key 0: 'n' must be an odd number of 2048 to 8192 bits; it has 8193");
  EXPECT_EQ(Problem(RsaKey(std::string(200, '\0') + odd(100), e)),
            "key 0: 'n' must be an odd number of 2048 to 8192 bits; it has 800");
  EXPECT_NE(Problem(RsaKey(odd(255) + "\xfe", e)), "");
  for (const std::string_view exponent : {"\1", "\2", "\xff\xff\xff\xff\xff"}) {
    EXPECT_EQ(Problem(RsaKey(odd(256), exponent)),
              "key 0: 'e' must be an odd number from 3, of at most 32 bits");
  }
}

TEST_F(JsonWebKeySetTest, IsBounded) {
  std::string keys;
  for (size_t i = 0; i < kMaxKeysPerSet; ++i) {
    if (i > 0) keys += ',';
    keys += ed25519_.Jwk(Concat("k", i));
  }
  EXPECT_EQ(Problem(keys), "");
  EXPECT_EQ(Problem(keys + "," + ed25519_.Jwk("more")), "the key set has more than 64 keys");
  const std::string text = TestKeySet("");
  const std::string padding(kMaxKeySetBytes - text.size(), ' ');
  EXPECT_TRUE(JsonWebKeySet::Parse(text + padding).ok());
  EXPECT_EQ(Message(JsonWebKeySet::Parse(text + padding + " ").status()),
            "the key set is larger than 262144 bytes");
}

TEST_F(JsonWebKeySetTest, RejectsOtherDocuments) {
  EXPECT_EQ(Message(JsonWebKeySet::Parse("[]").status()), "the key set is not a JSON object");
  EXPECT_EQ(Message(JsonWebKeySet::Parse("").status()), "the key set is not valid JSON at byte 0");
  for (const std::string_view text : {"{}", R"({"keys":{}})", R"({"keys":null})"}) {
    EXPECT_EQ(Message(JsonWebKeySet::Parse(text).status()),
              "the key set must have a list of \"keys\"");
  }
  EXPECT_EQ(Message(JsonWebKeySet::Parse(R"({"keys":[],"keys":[]})").status()),
            "the key set has a member twice in one object");
}

}  // namespace
}  // namespace stagedoor::server

#include "server/access/token_verifier.h"

#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/hmac.h>
#include <openssl/pem.h>

#include <chrono>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/status.h"
#include "gtest/gtest.h"
#include "server/access/base64url.h"
#include "server/access/testing/test_signing_key.h"

namespace stagedoor::server {
namespace {

constexpr TokenTime kNow{std::chrono::seconds(1'000'000)};

struct Keys {
  TestSigningKey rsa = TestSigningKey::Rsa();
  TestSigningKey p256 = TestSigningKey::P256();
  TestSigningKey p384 = TestSigningKey::P384();
  TestSigningKey ed25519 = TestSigningKey::Ed25519();
};

// Generated once, because RSA keys take long.
const Keys& TheKeys() {
  static const Keys keys;
  return keys;
}

std::string Claims(std::string_view more = "") {
  return Concat(R"({"iss":"https://id","aud":"stagedoor","sub":"alice","exp":1000100)",
                more.empty() ? "" : ",", more, "}");
}

class TokenVerifierTest : public ::testing::Test {
 protected:
  static JsonWebKeySet Parse(std::string_view keys) {
    auto set = JsonWebKeySet::Parse(TestKeySet(keys));
    EXPECT_TRUE(set.ok()) << set.status();
    return *std::move(set);
  }

  absl::StatusOr<VerifiedToken> Verify(std::string_view text) const {
    auto verified = [&]() -> absl::StatusOr<VerifiedToken> {
      const auto token = CompactToken::Parse(text);
      if (!token.ok()) return token.status();
      return VerifyToken(*token, issuer_, keys_, kNow);
    }();
    EXPECT_EQ(ERR_peek_error(), 0u) << "gRPC would take the errors for its own";
    return verified;
  }
  // The identity's name, or the message of the error.
  std::string Result(std::string_view text) const {
    const auto verified = Verify(text);
    if (verified.ok()) return verified->identity.name;
    EXPECT_EQ(verified.status().code(), absl::StatusCode::kUnauthenticated);
    if (text.size() > 8) {
      EXPECT_EQ(Message(verified.status()).find(text.substr(0, 8)), std::string_view::npos);
    }
    return std::string(Message(verified.status()));
  }
  // The result for a token with the claims and a good signature.
  std::string ResultOfClaims(std::string_view claims) const {
    return Result(TheKeys().ed25519.Token(R"({"alg":"EdDSA","kid":"o"})", claims, ""));
  }
  std::string ResultOfHeader(std::string_view header) const {
    return Result(TheKeys().ed25519.Token(header, Claims(), ""));
  }

  TokenIssuer issuer_{.issuer = "https://id", .audience = "stagedoor", .jwks_file = "/keys"};
  JsonWebKeySet keys_ = Parse(Concat(TheKeys().rsa.Jwk("r"), ',', TheKeys().p256.Jwk("e"), ',',
                                     TheKeys().p384.Jwk("f"), ',', TheKeys().ed25519.Jwk("o")));
};

constexpr std::string_view kWrongSignature = "the signature of the token is wrong";
constexpr std::string_view kUnknownAlgorithm =
    "the algorithm of the token is not accepted; sign tokens with RS256, RS384, RS512, ES256, "
    "ES384 or EdDSA";

struct Algorithm {
  std::string_view name, kid, digest;
  const TestSigningKey& key;
};
std::vector<Algorithm> Algorithms() {
  return {{"RS256", "r", "SHA256", TheKeys().rsa},  {"RS384", "r", "SHA384", TheKeys().rsa},
          {"RS512", "r", "SHA512", TheKeys().rsa},  {"ES256", "e", "SHA256", TheKeys().p256},
          {"ES384", "f", "SHA384", TheKeys().p384}, {"EdDSA", "o", "", TheKeys().ed25519}};
}

std::string Header(std::string_view alg, std::string_view kid) {
  return Concat(R"({"typ":"JWT","alg":")", alg, R"(","kid":")", kid, R"("})");
}

TEST_F(TokenVerifierTest, AcceptsEachAlgorithm) {
  for (const Algorithm& a : Algorithms()) {
    EXPECT_EQ(Result(a.key.Token(Header(a.name, a.kid), Claims(), a.digest)), "user:alice")
        << a.name;
    EXPECT_EQ(Result(a.key.Token(Concat(R"({"alg":")", a.name, R"("})"), Claims(), a.digest)),
              "user:alice")
        << a.name << " without kid";
  }
}

TEST_F(TokenVerifierTest, ReadsTheIdentity) {
  issuer_.name_claim = "email";
  issuer_.groups_claim = "roles";
  const auto verified = Verify(TheKeys().ed25519.Token(
      Header("EdDSA", "o"), Claims(R"("email":"a@b","roles":["fx","td"],"groups":["x"])"), ""));
  ASSERT_TRUE(verified.ok()) << verified.status();
  EXPECT_EQ(verified->identity, (Identity{.method = Identity::Method::kToken,
                                          .name = "user:a@b",
                                          .aliases = {"group:fx", "group:td"}}));
  EXPECT_EQ(verified->expires, TokenTime(std::chrono::seconds(1'000'160)));
}

TEST_F(TokenVerifierTest, RefusesEachFlippedBit) {
  for (const Algorithm& a : Algorithms()) {
    const std::string token = a.key.Token(Header(a.name, a.kid), Claims(), a.digest);
    const size_t dots[] = {token.find('.'), token.rfind('.')};
    for (size_t i = 0; i < token.size(); i += 7) {
      if (i == dots[0] || i == dots[1]) continue;
      for (const char flip : {1, 2, 32}) {
        std::string forged = token;
        forged[i] = static_cast<char>(forged[i] ^ flip);
        EXPECT_FALSE(Verify(forged).ok()) << a.name << " at " << i;
      }
    }
    EXPECT_FALSE(Verify(token.substr(0, token.size() - 1)).ok());
    EXPECT_FALSE(Verify(token + "A").ok());
    EXPECT_FALSE(Verify(token + "AAAA").ok());
  }
}

TEST_F(TokenVerifierTest, RefusesNoneInAllSpellings) {
  const std::string claims = EncodeBase64Url(Claims());
  for (const std::string_view none : {"none", "None", "NONE", "nOnE", "none ", ""}) {
    const std::string head = EncodeBase64Url(Concat(R"({"alg":")", none, R"("})")) + "." + claims;
    EXPECT_EQ(Result(head + "."), kUnknownAlgorithm) << none;
    EXPECT_EQ(Result(head + ".AAAA"), kUnknownAlgorithm) << none;
  }
  EXPECT_EQ(Result(EncodeBase64Url("{}") + "." + claims + "."),
            "the token names no algorithm ('alg')");
  EXPECT_EQ(ResultOfHeader(R"({"alg":null})"), "the token names no algorithm ('alg')");
  EXPECT_EQ(ResultOfHeader(R"({"alg":["EdDSA"]})"), "the token names no algorithm ('alg')");
}

TEST_F(TokenVerifierTest, RefusesUnknownAlgorithms) {
  for (const std::string_view name : {"HS256", "PS256", "ES512", "ES256K", "rs256", "EDDSA",
                                      "Ed25519", "RSA-OAEP", "dir", "RS256\\u0000"}) {
    EXPECT_EQ(ResultOfHeader(Header(name, "o")), kUnknownAlgorithm) << name;
  }
}

TEST_F(TokenVerifierTest, AnRsaKeyIsNeverASecret) {
  BIO* out = BIO_new(BIO_s_mem());
  ASSERT_EQ(PEM_write_bio_PUBKEY(out, TheKeys().rsa.key()), 1);
  char* pem = nullptr;
  const long size = BIO_get_mem_data(out, &pem);
  for (const std::string_view alg : {"HS256", "RS256", "EdDSA"}) {
    const std::string text =
        Concat(EncodeBase64Url(Header(alg, "r")), '.', EncodeBase64Url(Claims()));
    unsigned char mac[EVP_MAX_MD_SIZE];
    unsigned mac_size = 0;
    HMAC(EVP_sha256(), pem, static_cast<int>(size),
         reinterpret_cast<const unsigned char*>(text.data()), text.size(), mac, &mac_size);
    const std::string forged =
        Concat(text, '.', EncodeBase64Url({reinterpret_cast<const char*>(mac), mac_size}));
    EXPECT_EQ(Result(forged), alg == "HS256"   ? kUnknownAlgorithm
                              : alg == "RS256" ? kWrongSignature
                                               : "the algorithm of the token does not fit the key "
                                                 "it names");
  }
  BIO_free(out);
}

TEST_F(TokenVerifierTest, TheAlgorithmMustFitTheKey) {
  constexpr std::string_view kMisfit = "the algorithm of the token does not fit the key it names";
  EXPECT_EQ(Result(TheKeys().p256.Token(Header("ES256", "f"), Claims(), "SHA256")), kMisfit);
  EXPECT_EQ(Result(TheKeys().p256.Token(Header("ES384", "e"), Claims(), "SHA384")), kMisfit);
  EXPECT_EQ(Result(TheKeys().rsa.Token(Header("RS256", "o"), Claims(), "SHA256")), kMisfit);
  keys_ = Parse(TheKeys().rsa.Jwk("r", R"("alg":"RS512")"));
  EXPECT_EQ(Result(TheKeys().rsa.Token(Header("RS256", "r"), Claims(), "SHA256")), kMisfit);
  EXPECT_EQ(Result(TheKeys().rsa.Token(R"({"alg":"RS256"})", Claims(), "SHA256")),
            "no key of the issuer fits the algorithm of the token");
  EXPECT_EQ(Result(TheKeys().rsa.Token(Header("RS512", "r"), Claims(), "SHA512")), "user:alice");
  EXPECT_EQ(Result(TheKeys().rsa.Token(Header("RS512", "r"), Claims(), "SHA256")), kWrongSignature);
}

TEST_F(TokenVerifierTest, RefusesForeignKeys) {
  const TestSigningKey foreign = TestSigningKey::Ed25519();
  EXPECT_EQ(Result(foreign.Token(Header("EdDSA", "o"), Claims(), "")), kWrongSignature);
  EXPECT_EQ(Result(foreign.Token(R"({"alg":"EdDSA"})", Claims(), "")), kWrongSignature);
  EXPECT_EQ(Result(foreign.Token(Header("EdDSA", "x"), Claims(), "")),
            "the token names a key that its issuer does not have");
  const std::string with_key =
      Concat(R"({"alg":"EdDSA","jku":"https://evil","jwk":)", foreign.Jwk("o"), "}");
  EXPECT_EQ(Result(foreign.Token(with_key, Claims(), "")), kWrongSignature);
  EXPECT_EQ(Result(foreign.Token(R"({"alg":"EdDSA","kid":"../../dev/null"})", Claims(), "")),
            "the token names a key that its issuer does not have");
}

TEST_F(TokenVerifierTest, KeysWithoutIdAreNotSelectedByAnEmptyOne) {
  EXPECT_EQ(ResultOfHeader(R"({"alg":"EdDSA","kid":""})"), "the token has an invalid 'kid'");
  EXPECT_EQ(ResultOfHeader(R"({"alg":"EdDSA","kid":7})"), "the token has an invalid 'kid'");
  EXPECT_EQ(ResultOfHeader(Header("EdDSA", std::string(257, 'k'))),
            "the token has an invalid 'kid'");
}

TEST_F(TokenVerifierTest, TriesABoundedNumberOfKeys) {
  std::string keys;
  for (size_t i = 0; i + 1 < kMaxKeysTried; ++i) {
    keys += TestSigningKey::Ed25519().Jwk(Concat(i)) + ",";
  }
  keys_ = Parse(keys + TheKeys().ed25519.Jwk("o"));
  EXPECT_EQ(ResultOfHeader(R"({"alg":"EdDSA"})"), "user:alice");
  keys_ = Parse(keys + TheKeys().ed25519.Jwk("o") + "," + TestSigningKey::Ed25519().Jwk("x"));
  EXPECT_EQ(ResultOfHeader(R"({"alg":"EdDSA"})"),
            "the token must name its key ('kid'): more than 8 keys of the issuer fit");
  EXPECT_EQ(ResultOfHeader(Header("EdDSA", "o")), "user:alice");
}

TEST_F(TokenVerifierTest, RefusesTrivialSignatures) {
  for (const Algorithm& a : Algorithms()) {
    const std::string text =
        Concat(EncodeBase64Url(Header(a.name, a.kid)), '.', EncodeBase64Url(Claims()), '.');
    const auto size =
        DecodeBase64Url(a.key.Token(Header(a.name, a.kid), Claims(), a.digest).substr(text.size()))
            ->size();
    for (const char fill : {'\0', '\1', '\xff'}) {
      for (const size_t bytes : {size, size / 2, size - 1, size + 1, size_t{1}}) {
        EXPECT_EQ(Result(text + EncodeBase64Url(std::string(bytes, fill))), kWrongSignature)
            << a.name << " " << bytes;
      }
    }
    EXPECT_EQ(Result(text), "the signature of the token is empty");
  }
}

TEST_F(TokenVerifierTest, RefusesEcdsaSignaturesInDer) {
  const std::string text =
      Concat(EncodeBase64Url(Header("ES256", "e")), '.', EncodeBase64Url(Claims()));
  const DigestContextPointer context(EVP_MD_CTX_new());
  unsigned char der[128];
  size_t size = sizeof(der);
  ASSERT_EQ(EVP_DigestSignInit(context.get(), nullptr, EVP_sha256(), nullptr, TheKeys().p256.key()),
            1);
  ASSERT_EQ(EVP_DigestSign(context.get(), der, &size,
                           reinterpret_cast<const unsigned char*>(text.data()), text.size()),
            1);
  EXPECT_EQ(Result(Concat(text, '.', EncodeBase64Url({reinterpret_cast<char*>(der), size}))),
            kWrongSignature);
}

TEST_F(TokenVerifierTest, RefusesOtherForms) {
  constexpr std::string_view kParts = "the bearer token is not a JSON Web Token of three parts";
  for (const std::string_view text : {"", ".", "a", "a.b", "a.b.c.d", "....."}) {
    EXPECT_EQ(Result(text), kParts) << text;
  }
  EXPECT_EQ(Result("...."), "encrypted tokens are not accepted");
  EXPECT_EQ(Result("a.b.c.d.e"), "encrypted tokens are not accepted");
  EXPECT_EQ(Result(".."), "the header of the token is empty");
  const std::string good = TheKeys().ed25519.Token(Header("EdDSA", "o"), Claims(), "");
  const std::string header = good.substr(0, good.find('.'));
  EXPECT_EQ(Result(header + "..AAAA"), "the second part of the token is empty");
  EXPECT_EQ(Result(header + ".e30."), "the signature of the token is empty");
  EXPECT_EQ(Result(header + ".e30=.AAAA"),
            "the second part of the token is not base64url without padding");
  EXPECT_EQ(Result(" " + good), "the header of the token is not base64url without padding");
  EXPECT_EQ(Result(good + "\n"), "the signature of the token is not base64url without padding");
  EXPECT_EQ(Result(good + std::string(1, '\0')),
            "the signature of the token is not base64url without padding");
}

TEST_F(TokenVerifierTest, RefusesLargeTokensBeforeDecoding) {
  const std::string largest(kMaxTokenBytes, '!');
  EXPECT_EQ(Result(largest), "the bearer token is not a JSON Web Token of three parts");
  EXPECT_EQ(Result(largest + "!"), "the token is larger than 16384 bytes");
}

TEST_F(TokenVerifierTest, RefusesCriticalExtensions) {
  for (const std::string_view crit : {R"(["b64"])", "[]", "null", R"(["exp"])"}) {
    EXPECT_EQ(ResultOfHeader(Concat(R"({"alg":"EdDSA","b64":false,"crit":)", crit, "}")),
              "the token needs an extension that is not supported ('crit')");
  }
}

TEST_F(TokenVerifierTest, RefusesMalformedJson) {
  EXPECT_EQ(ResultOfHeader("{"), "the header of the token is not valid JSON at byte 1");
  EXPECT_EQ(ResultOfHeader("[]"), "the header of the token is not a JSON object");
  EXPECT_EQ(ResultOfHeader(R"({"alg":"EdDSA","alg":"none"})"),
            "the header of the token has a member twice in one object");
  EXPECT_EQ(ResultOfClaims(Claims(R"("sub":"root")")),
            "the second part of the token has a member twice in one object");
  EXPECT_EQ(ResultOfClaims(Claims(R"("x":{"y":1,"y":2})")),
            "the second part of the token has a member twice in one object");
  EXPECT_EQ(ResultOfClaims(Claims(Concat(R"("x":)", std::string(5000, '[')))),
            "the second part of the token is nested more than 16 deep");
  EXPECT_EQ(ResultOfClaims(Claims("\"x\":\"\xff\"")).substr(0, 43),
            "the second part of the token is not valid J");
}

TEST_F(TokenVerifierTest, RefusesOtherIssuersAndAudiences) {
  constexpr std::string_view kIssuer = "the token comes from an unknown issuer";
  constexpr std::string_view kAudience = "the token was issued for another audience";
  const auto claims = [](std::string_view iss, std::string_view aud) {
    return Concat(R"({"sub":"alice","exp":1000100)", iss.empty() ? "" : R"(,"iss":)", iss,
                  aud.empty() ? "" : R"(,"aud":)", aud, "}");
  };
  const std::string_view good = R"("https://id")";
  for (const std::string_view iss : {"", R"("https://id/")", R"("HTTPS://id")", R"(["https://id"])",
                                     "null", R"("")", R"("https://id\u0000")"}) {
    EXPECT_EQ(ResultOfClaims(claims(iss, R"("stagedoor")")), kIssuer) << iss;
  }
  for (const std::string_view aud :
       {"", R"("other")", R"("")", "[]", R"(["other"])", "null", "{}", R"([["stagedoor"]])",
        R"({"a":"stagedoor"})", R"("stagedoor other")", R"("Stagedoor")"}) {
    EXPECT_EQ(ResultOfClaims(claims(good, aud)), kAudience) << aud;
  }
  for (const std::string_view aud :
       {R"("stagedoor")", R"(["other","stagedoor"])", R"([1,"stagedoor"])"}) {
    EXPECT_EQ(ResultOfClaims(claims(good, aud)), "user:alice") << aud;
  }
}

TEST_F(TokenVerifierTest, ChecksTimesWithClockSkew) {
  const auto with = [](std::string_view times) {
    return Concat(R"({"iss":"https://id","aud":"stagedoor","sub":"alice",)", times, "}");
  };
  const struct {
    std::string_view times, result;
  } kCases[] = {
      {R"("exp":999941)", "user:alice"},
      {R"("exp":999940.001)", "user:alice"},
      {R"("exp":999940)", "the token has expired"},
      {R"("exp":0)", "the token has expired"},
      {R"("exp":253402300799)", "user:alice"},
      {R"("exp":1000100,"nbf":1000060)", "user:alice"},
      {R"("exp":1000100,"nbf":1000061)", "the token is not valid yet"},
      {R"("exp":1000100,"nbf":1000060.001)", "the token is not valid yet"},
      {R"("exp":1000100,"iat":1000060)", "user:alice"},
      {R"("exp":1000100,"iat":1000061)", "the token was issued in the future; check the clocks"},
      {R"("nbf":0)", "the token must have an end ('exp')"},
  };
  for (const auto& c : kCases) EXPECT_EQ(ResultOfClaims(with(c.times)), c.result) << c.times;
  for (const std::string_view value :
       {"1e308", "1e12", "253402300800", "-1", "-1e308", "-0.5", "\"1000100\"", "null", "true",
        "[]", "{}", "18446744073709551615", "18446744073709551616", "9223372036854775807"}) {
    for (const std::string_view name : {"exp", "nbf", "iat"}) {
      const std::string end = name == "exp" ? "" : R"(,"exp":1000100)";
      EXPECT_EQ(ResultOfClaims(with(Concat('"', name, "\":", value, end))),
                Concat("the claim '", name, "' of the token must be in seconds since 1970"))
          << value;
    }
  }
  EXPECT_EQ(ResultOfClaims(with(R"("exp":1e999)")).substr(0, 43),
            "the second part of the token is not valid J");
  issuer_.clock_skew = std::chrono::seconds(0);
  EXPECT_EQ(ResultOfClaims(with(R"("exp":1000000.001)")), "user:alice");
  EXPECT_EQ(ResultOfClaims(with(R"("exp":1000000)")), "the token has expired");
}

TEST_F(TokenVerifierTest, RefusesOtherNames) {
  const auto named = [](std::string_view sub) {
    return Concat(R"({"iss":"https://id","aud":"stagedoor","exp":1000100)",
                  sub.empty() ? "" : R"(,"sub":)", sub, "}");
  };
  for (const std::string& sub :
       {std::string(), std::string("1"), std::string("null"), std::string(R"(["alice"])"),
        std::string(R"("")"), std::string(R"("a\nb")"), std::string(R"("a\u0000b")"),
        std::string(R"("\u0085")"), '"' + std::string(257, 'a') + '"'}) {
    EXPECT_EQ(ResultOfClaims(named(sub)),
              "the claim 'sub' of the token must be a text of 1 to 256 bytes without control "
              "characters")
        << sub;
  }
  EXPECT_EQ(ResultOfClaims(named('"' + std::string(256, 'a') + '"')),
            "user:" + std::string(256, 'a'));
  EXPECT_EQ(ResultOfClaims(named(R"("anonymous")")), "user:anonymous");
}

TEST_F(TokenVerifierTest, RefusesOtherGroups) {
  const std::string list = "the claim 'groups' of the token must be a list of at most 256 groups";
  const std::string texts =
      "the groups in the claim 'groups' of the token must be texts of 1 to 256 bytes without "
      "control characters";
  const auto groups = [this](std::string_view value) {
    return ResultOfClaims(Claims(Concat(R"("groups":)", value)));
  };
  for (const std::string_view value : {"\"fx\"", "null", "{}", "1"}) {
    EXPECT_EQ(groups(value), list) << value;
  }
  for (const std::string_view value : {"[1]", "[\"\"]", R"(["a\nb"])", "[[\"fx\"]]", "[null]"}) {
    EXPECT_EQ(groups(value), texts) << value;
  }
  EXPECT_EQ(groups("[\"" + std::string(257, 'a') + "\"]"), texts);
  std::string many = "\"g\"";
  for (int i = 1; i < 256; ++i) many += ",\"g\"";
  EXPECT_EQ(groups("[" + many + "]"), "user:alice");
  EXPECT_EQ(groups("[" + many + ",\"g\"]"), list);
  EXPECT_EQ(groups("[]"), "user:alice");
}

TEST(CheckTokenIssuerTest, NamesTheOptionThatIsWrong) {
  const TokenIssuer good{.issuer = "i", .audience = "a", .jwks_file = "f"};
  EXPECT_TRUE(CheckTokenIssuer(good).ok());
  const auto problem = [](const TokenIssuer& issuer) {
    return std::string(Message(CheckTokenIssuer(issuer)));
  };
  TokenIssuer wrong = good;
  wrong.issuer.clear();
  EXPECT_EQ(problem(wrong), "the issuer of tokens is missing");
  wrong = good;
  wrong.audience.clear();
  EXPECT_EQ(problem(wrong), "tokens of 'i': the audience is missing");
  wrong = good;
  wrong.jwks_file.clear();
  EXPECT_EQ(problem(wrong), "tokens of 'i': the file of keys is missing");
  wrong = good;
  wrong.name_claim.clear();
  EXPECT_EQ(problem(wrong), "tokens of 'i': the claim for the name is missing");
  for (const int skew : {-1, 3601}) {
    wrong = good;
    wrong.clock_skew = std::chrono::seconds(skew);
    EXPECT_EQ(problem(wrong), "tokens of 'i': the clock skew must be from 0 to 3600 seconds");
  }
}

}  // namespace
}  // namespace stagedoor::server

#include "server/access/token_verifiers.h"

#include <sys/stat.h>

#include <atomic>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "base/status.h"
#include "gtest/gtest.h"
#include "server/access/testing/test_signing_key.h"

namespace stagedoor::server {
namespace {

namespace fs = std::filesystem;
using std::chrono::seconds;
using std::chrono::system_clock;

constexpr std::string_view kHeader = R"({"alg":"EdDSA","kid":"k"})";

std::string Claims(std::string_view iss, std::string_view aud, int exp) {
  return Concat(R"({"iss":")", iss, R"(","aud":")", aud, R"(","sub":"alice","exp":)", exp, "}");
}

class TokenVerifiersTest : public ::testing::Test {
 protected:
  TokenVerifiersTest() {
    fs::remove_all(folder_);
    fs::create_directories(folder_);
    Write(one_.Jwk("k"));
  }

  // Replaces the file, as tools that rotate keys do.
  void Write(std::string_view keys) { WriteText(TestKeySet(keys)); }
  void WriteText(std::string_view text) const {
    std::ofstream(file_ + ".new") << text;
    fs::rename(file_ + ".new", file_);
  }
  std::unique_ptr<TokenVerifiers> Create(const std::vector<TokenIssuer>& issuers) {
    auto verifiers = TokenVerifiers::Create(
        issuers,
        {.now = [this] { return now_; },
         .warn =
             [this](const absl::Status& warning) { warnings_.emplace_back(Message(warning)); }});
    EXPECT_TRUE(verifiers.ok()) << verifiers.status();
    return *std::move(verifiers);
  }
  std::string Result(TokenVerifiers& verifiers, std::string_view token) {
    const auto identity = verifiers.Verify(token);
    if (identity.ok()) return (*identity)->name;
    EXPECT_EQ(identity.status().code(), absl::StatusCode::kUnauthenticated);
    return std::string(Message(identity.status()));
  }

  const std::string folder_ = ::testing::TempDir() + "/token_verifiers";
  const std::string file_ = folder_ + "/keys.json";
  const TokenIssuer issuer_{.issuer = "i", .audience = "a", .jwks_file = file_};
  const TestSigningKey one_ = TestSigningKey::Ed25519();
  const TestSigningKey two_ = TestSigningKey::Ed25519();
  const std::string token_ = one_.Token(kHeader, Claims("i", "a", 10000), "");
  system_clock::time_point now_{seconds(1000)};
  std::vector<std::string> warnings_;
};

TEST_F(TokenVerifiersTest, PicksTheIssuer) {
  const std::string other_file = folder_ + "/other.json";
  std::ofstream(other_file) << TestKeySet(two_.Jwk("k"));
  const auto verifiers =
      Create({issuer_,
              {.issuer = "i", .audience = "b", .jwks_file = file_, .name_claim = "iss"},
              {.issuer = "j", .audience = "a", .jwks_file = other_file}});
  const auto result = [&](const TestSigningKey& key, std::string_view iss, std::string_view aud) {
    return Result(*verifiers, key.Token(kHeader, Claims(iss, aud, 10000), ""));
  };
  EXPECT_EQ(result(one_, "i", "a"), "user:alice");
  EXPECT_EQ(result(one_, "i", "b"), "user:i");
  EXPECT_EQ(result(two_, "j", "a"), "user:alice");
  EXPECT_EQ(result(two_, "j", "b"), "the token was issued for another audience");
  EXPECT_EQ(result(two_, "x", "a"), "the token comes from an unknown issuer");
  EXPECT_EQ(result(one_, "j", "a"), "the signature of the token is wrong")
      << "an issuer must not sign for another";
  EXPECT_EQ(Result(*Create({}), token_), "the token comes from an unknown issuer");
}

TEST_F(TokenVerifiersTest, RemembersVerifiedTokensOnly) {
  const auto verifiers = Create({issuer_});
  const auto first = verifiers->Verify(token_);
  const auto second = verifiers->Verify(token_);
  ASSERT_TRUE(first.ok() && second.ok());
  EXPECT_EQ(*first, *second);
  EXPECT_EQ(verifiers->cache_stats().loads, 1);
  const std::string wrong = two_.Token(kHeader, Claims("i", "a", 10000), "");
  EXPECT_EQ(Result(*verifiers, wrong), "the signature of the token is wrong");
  EXPECT_EQ(verifiers->cache_stats().entries, 1u);
  // A token that differs in its signature only is another one.
  EXPECT_EQ(Result(*verifiers, token_.substr(0, token_.rfind('.')) + ".AAAA"),
            "the signature of the token is wrong");
}

TEST_F(TokenVerifiersTest, ForgetsTokensWhenTheyExpire) {
  const auto verifiers = Create({issuer_});
  const std::string soon = one_.Token(kHeader, Claims("i", "a", 1010), "");
  EXPECT_EQ(Result(*verifiers, soon), "user:alice");
  now_ = system_clock::time_point(seconds(1069));
  EXPECT_EQ(Result(*verifiers, soon), "user:alice");
  EXPECT_EQ(verifiers->cache_stats().loads, 1);
  now_ = system_clock::time_point(seconds(1070));
  EXPECT_EQ(Result(*verifiers, soon), "the token has expired");
  EXPECT_EQ(verifiers->cache_stats().entries, 0u);
}

TEST_F(TokenVerifiersTest, VerifiesAgainAfterFiveMinutes) {
  const auto verifiers = Create({issuer_});
  EXPECT_EQ(Result(*verifiers, token_), "user:alice");
  now_ += TokenVerifiers::kMaxCachedTime - seconds(1);
  EXPECT_EQ(Result(*verifiers, token_), "user:alice");
  EXPECT_EQ(verifiers->cache_stats().loads, 1);
  now_ += seconds(1);
  EXPECT_EQ(Result(*verifiers, token_), "user:alice");
  EXPECT_EQ(verifiers->cache_stats().loads, 2);
}

TEST_F(TokenVerifiersTest, RemembersABoundedNumber) {
  auto verifiers = TokenVerifiers::Create(std::vector{issuer_},
                                          {.now = [this] { return now_; }, .max_cached_tokens = 4});
  ASSERT_TRUE(verifiers.ok()) << verifiers.status();
  for (int i = 0; i < 20; ++i) {
    EXPECT_TRUE((*verifiers)->Verify(one_.Token(kHeader, Claims("i", "a", 9000 + i), "")).ok());
  }
  EXPECT_LE((*verifiers)->cache_stats().entries, 4u);
}

TEST_F(TokenVerifiersTest, ReadsKeysAgainAtMostOnceASecond) {
  const auto verifiers = Create({issuer_});
  const std::string of_two = two_.Token(kHeader, Claims("i", "a", 10000), "");
  EXPECT_EQ(Result(*verifiers, token_), "user:alice");
  Write(two_.Jwk("k"));
  now_ += std::chrono::milliseconds(999);
  EXPECT_EQ(Result(*verifiers, of_two), "the signature of the token is wrong");
  EXPECT_EQ(Result(*verifiers, token_), "user:alice");
  now_ += std::chrono::milliseconds(1);
  EXPECT_EQ(Result(*verifiers, of_two), "user:alice");
  EXPECT_EQ(Result(*verifiers, token_), "the signature of the token is wrong")
      << "a key that was withdrawn must not live on in the cache";
  EXPECT_TRUE(warnings_.empty());
}

TEST_F(TokenVerifiersTest, ACachedTokenNoticesWithdrawnKeys) {
  const auto verifiers = Create({issuer_});
  EXPECT_EQ(Result(*verifiers, token_), "user:alice");
  Write("");
  now_ += seconds(1);
  EXPECT_EQ(Result(*verifiers, token_), "the token names a key that its issuer does not have");
}

TEST_F(TokenVerifiersTest, LooksAgainAfterTheClockWasSetBack) {
  const auto verifiers = Create({issuer_});
  Write(two_.Jwk("k"));
  now_ -= seconds(500);
  EXPECT_EQ(Result(*verifiers, token_), "the signature of the token is wrong");
}

TEST_F(TokenVerifiersTest, ABrokenFileKeepsTheOldKeysAndWarnsOnce) {
  const auto verifiers = Create({issuer_});
  const std::string kept = "tokens are still verified with the keys read before: ";
  const auto check = [&] {
    now_ += seconds(1);
    EXPECT_EQ(Result(*verifiers, token_), "user:alice");
    now_ += seconds(1);
    EXPECT_EQ(Result(*verifiers, token_), "user:alice");
  };
  WriteText("{");
  check();
  EXPECT_EQ(warnings_,
            std::vector{Concat(kept, Quoted(file_), ": the key set is not valid JSON at byte 1")});
  warnings_.clear();
  fs::remove(file_);
  check();
  EXPECT_EQ(warnings_, std::vector{Concat(kept, "cannot read the key set ", Quoted(file_),
                                          ": No such file or directory")});
  warnings_.clear();
  ASSERT_EQ(::mkfifo(file_.c_str(), 0600), 0);
  check();
  EXPECT_EQ(warnings_, std::vector{Concat(kept, "cannot read the key set ", Quoted(file_),
                                          ": it is not a regular file")});
  warnings_.clear();
  WriteText(TestKeySet("") + std::string(kMaxKeySetBytes, ' '));
  check();
  EXPECT_EQ(warnings_,
            std::vector{Concat(kept, Quoted(file_), ": the key set is larger than 262144 bytes")});
  warnings_.clear();
  Write(two_.Jwk("k"));
  now_ += seconds(1);
  EXPECT_EQ(Result(*verifiers, token_), "the signature of the token is wrong");
  EXPECT_TRUE(warnings_.empty());
}

TEST_F(TokenVerifiersTest, CreateRefusesWrongOptions) {
  const auto problem = [](const std::vector<TokenIssuer>& issuers) {
    return std::string(Message(TokenVerifiers::Create(issuers).status()));
  };
  EXPECT_EQ(problem({issuer_, issuer_}), "tokens of 'i' for 'a' are configured twice");
  EXPECT_EQ(problem({{.issuer = "i", .audience = "a"}}),
            "tokens of 'i': the file of keys is missing");
  EXPECT_EQ(
      problem({{.issuer = "i", .audience = "a", .jwks_file = folder_ + "/none"}}),
      Concat("cannot read the key set ", Quoted(folder_ + "/none"), ": No such file or directory"));
  WriteText("[]");
  EXPECT_EQ(problem({issuer_}), Concat(Quoted(file_), ": the key set is not a JSON object"));
}

TEST_F(TokenVerifiersTest, IsThreadSafe) {
  std::atomic<int64_t> milliseconds{1000'000};
  auto verifiers = TokenVerifiers::Create(
      std::vector{issuer_}, {.now = [&milliseconds] {
        return system_clock::time_point(std::chrono::milliseconds(milliseconds += 100));
      }});
  ASSERT_TRUE(verifiers.ok()) << verifiers.status();
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&] {
      for (int i = 0; i < 200; ++i) EXPECT_EQ(Result(**verifiers, token_), "user:alice");
    });
  }
  for (int i = 0; i < 20; ++i) Write(Concat(one_.Jwk("k"), ',', two_.Jwk(Concat(i))));
  for (std::thread& thread : threads) thread.join();
}

}  // namespace
}  // namespace stagedoor::server

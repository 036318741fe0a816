#include "client/cc/channel_security.h"

#include <gtest/gtest.h>

#include "base/status.h"
#include "base/testing/temp_dir.h"
#include "client/cc/token_file.h"

namespace stagedoor {
namespace {

class ChannelSecurityTest : public testing::Test {
 protected:
  std::string Error(const std::string& address, const SecurityOptions& security) {
    ClientOptions options{.address = address};
    options.security = security;
    return std::string(Message(MakeChannelCredentials(options).status()));
  }

  TempDir folder_;
};

TEST_F(ChannelSecurityTest, KnowsAddressesOfThisMachine) {
  for (const char* address :
       {"unix:/run/x", "localhost:1", "127.0.0.1:50051", "127.0.0.2:1", "[::1]:1"}) {
    EXPECT_TRUE(IsLocalAddress(address)) << address;
  }
  for (const char* address : {"host:1", "10.0.0.1:1", "localhost.evil.com:1", "", "unixx:1"}) {
    EXPECT_FALSE(IsLocalAddress(address)) << address;
  }
}

TEST_F(ChannelSecurityTest, ATokenIsNotSentToOthersWithoutTls) {
  folder_.Write("token", "abc\n");
  const std::string token = folder_ / "token";
  EXPECT_EQ(Error("unix:/run/x", {.token_file = token}), "");
  EXPECT_EQ(Error("host:1", {.tls = true, .token_file = token}), "");
  EXPECT_EQ(Error("host:1", {.token_file = token}),
            "a token is sent to host:1 only with TLS, because others could read it");
}

TEST_F(ChannelSecurityTest, NamesTheFileThatCannotBeRead) {
  EXPECT_NE(Error("host:1", {.ca_file = "/no/ca.pem"}).find("'/no/ca.pem'"), std::string::npos);
  EXPECT_NE(Error("unix:/x", {.token_file = "/no/token"}).find("'/no/token'"), std::string::npos);
  EXPECT_EQ(Error("host:1", {.certificate_file = "/c.pem"}),
            "a client certificate and its key must be given together");
}

TEST_F(ChannelSecurityTest, ATokenIsReadAgain) {
  TokenFile::Clock::time_point now{std::chrono::seconds(100)};
  TokenFile file(folder_ / "token", [&now] { return now; });
  EXPECT_EQ(file.Authorization(), "");
  folder_.Write("token", "first\n");
  EXPECT_EQ(file.Authorization(), "") << "not looked for again yet";
  now += std::chrono::seconds(5);
  EXPECT_EQ(file.Authorization(), "Bearer first");
  folder_.Write("token", "");
  now += std::chrono::seconds(5);
  EXPECT_EQ(file.Authorization(), "Bearer first") << "perhaps it is being written";
  folder_.Write("token", "  second");
  now += std::chrono::seconds(5);
  EXPECT_EQ(file.Authorization(), "Bearer second");
  EXPECT_EQ(TokenFile("").Authorization(), "");
}

}  // namespace
}  // namespace stagedoor

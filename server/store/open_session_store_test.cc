#include "server/store/open_session_store.h"

#include <gtest/gtest.h>

#include <fstream>
#include <string>

#include "base/status.h"
#include "base/testing/temp_dir.h"

namespace stagedoor::server {
namespace {

class OpenSessionStoreTest : public ::testing::Test {
 protected:
  std::string Write(const std::string& content) {
    const std::string path = Concat(dir_.path(), "/password");
    std::ofstream(path, std::ios::binary) << content;
    return path;
  }
  static std::string Error(const SessionStoreOptions& options) {
    const auto parsed = ParseSessionStore(options);
    EXPECT_EQ(parsed.status().code(), absl::StatusCode::kInvalidArgument);
    return std::string(Message(parsed.status()));
  }

  TempDir dir_;
};

TEST_F(OpenSessionStoreTest, WithoutAUrlThereIsNone) {
  const auto store = OpenSessionStore({});
  ASSERT_TRUE(store.ok()) << store.status();
  EXPECT_EQ(*store, nullptr);
}

TEST_F(OpenSessionStoreTest, ThePasswordIsTheFirstLineOfTheFile) {
  for (const std::string content : {"secret", "secret\n", "secret\r\nmore\n"}) {
    const auto redis =
        ParseSessionStore({.url = "redis://ann@host:1234/2", .password_file = Write(content)});
    ASSERT_TRUE(redis.ok()) << redis.status();
    EXPECT_EQ(redis->password, "secret");
    EXPECT_EQ(redis->user, "ann");
    EXPECT_EQ(redis->port, 1234);
    EXPECT_EQ(redis->database, 2);
  }
}

TEST_F(OpenSessionStoreTest, ErrorsNameTheFlagAndKeepSecrets) {
  const std::string error = Error({.url = "redis://ann:hunter2@host"});
  EXPECT_NE(error.find("--session-store-password-file"), std::string::npos) << error;
  EXPECT_EQ(error.find("hunter2"), std::string::npos) << error;
  EXPECT_EQ(Error({.url = "http://host"}).substr(0, 16), "--session-store:");
  for (const std::string& content :
       {std::string(), std::string("\nsecond"), std::string(5000, 'x')}) {
    EXPECT_EQ(Error({.url = "redis://host", .password_file = Write(content)}).substr(0, 30),
              "--session-store-password-file:");
  }
  Error({.url = "redis://host", .password_file = "/nonexistent"});
}

TEST_F(OpenSessionStoreTest, AFileThatDoesNotExistIsAnError) {
  const auto store = OpenSessionStore({.url = "rediss://host", .ca_file = "/nonexistent.pem"});
  EXPECT_EQ(store.status().code(), absl::StatusCode::kInvalidArgument) << store.status();
}

}  // namespace
}  // namespace stagedoor::server

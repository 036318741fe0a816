#include "server/log/logging.h"

#include <google/protobuf/stubs/logging.h>
#include <grpc/support/log.h>
#include <gtest/gtest.h>
#include <spdlog/spdlog.h>

#include <cstdio>
#include <string>
#include <vector>

#include "base/strings.h"
#include "server/log/testing/log_file_test.h"

namespace stagedoor::server {
namespace {

TEST(LogBeforeInstallTest, NothingToReopenOrFlush) {
  EXPECT_TRUE(ReopenLog().ok());
  FlushLog(std::chrono::seconds(60));
}

class LoggingTest : public LogFileTest {
 protected:
  LoggingTest() : LogFileTest("stagedoord.log") {}
};

TEST_F(LoggingTest, OneMessageIsOneLineOfText) {
  spdlog::warn("{}", "a\nb\x1b[31m\xff 'c' é");
  EXPECT_NE(Text().find("a\\nb\\x1b[31m\\xff 'c' é\n"), std::string::npos) << Text();
  EXPECT_EQ(Lines(), 1u);
}

TEST_F(LoggingTest, LogsMessagesOfLibraries) {
  gpr_log(GPR_ERROR, "about %s", "grpc");
  GOOGLE_LOG(WARNING) << "about protobuf";
  gpr_log(GPR_DEBUG, "below the level");
  const std::string text = Text();
  EXPECT_NE(text.find("[error] [grpc] about grpc\n"), std::string::npos) << text;
  EXPECT_NE(text.find("[warning] [protobuf] about protobuf\n"), std::string::npos) << text;
  EXPECT_EQ(text.find("below"), std::string::npos) << text;
}

TEST_F(LoggingTest, MessagesBelowTheLevelAreNotRateLimited) {
  ASSERT_TRUE(InitializeLog("error", path_).ok());
  for (int i = 0; i < 1000; ++i)
    LogLibraryMessage(LogLibrary::kProtobuf, spdlog::level::warn, "no");
  spdlog::warn("no");
  LogLibraryMessage(LogLibrary::kProtobuf, spdlog::level::err, "yes");
  const std::string text = Text();
  EXPECT_NE(text.find("[error] [protobuf] yes\n"), std::string::npos) << text;
  EXPECT_EQ(Lines(), 1u);
}

TEST_F(LoggingTest, TheLevelCanChange) {
  SetLogLevel("error");
  spdlog::warn("no");
  spdlog::error("one");
  SetLogLevel("warn");
  spdlog::info("no");
  spdlog::warn("two");
  EXPECT_EQ(Lines(), 2u) << Text();
}

TEST_F(LoggingTest, AFileThatCannotBeWrittenChangesNothing) {
  EXPECT_EQ(InitializeLog("trace", "/nowhere/x.log").code(), absl::StatusCode::kPermissionDenied);
  spdlog::debug("no");
  spdlog::info("yes");
  EXPECT_NE(Text().find("[info] yes\n"), std::string::npos);
  EXPECT_EQ(Lines(), 1u);
}

TEST_F(LoggingTest, TheFileIsReopenedAtItsPath) {
  spdlog::info("one");
  FlushLog(std::chrono::seconds(60));
  const std::string old = path_ + ".old";
  ASSERT_EQ(std::rename(path_.c_str(), old.c_str()), 0);
  ASSERT_TRUE(ReopenLog().ok());
  spdlog::info("two");
  EXPECT_NE(Text().find("[info] two\n"), std::string::npos);
  EXPECT_EQ(Lines(), 1u);
  ASSERT_TRUE(InitializeLog("off", "").ok());
  ASSERT_EQ(std::rename(path_.c_str(), old.c_str()), 0);
  EXPECT_TRUE(ReopenLog().ok()) << "there is no log file";
  EXPECT_EQ(::access(path_.c_str(), F_OK), -1);
}

TEST_F(LoggingTest, MessagesAreUnquotedAndTruncated) {
  EXPECT_EQ(SanitizeLogMessage(""), "");
  EXPECT_EQ(SanitizeLogMessage("'a' b'"), "'a' b'");
  EXPECT_EQ(SanitizeLogMessage(std::string(4000, 'x')), std::string(4000, 'x'));
  EXPECT_EQ(SanitizeLogMessage(std::string(4001, 'x')), std::string(4000, 'x') + "...");
  EXPECT_EQ(SanitizeLogMessage("a\nb"), "a\\nb");
}

TEST_F(LoggingTest, JsonLinesAreEscaped) {
  ASSERT_TRUE(InitializeLog("info", path_, LogFormat::kJson).ok());
  spdlog::warn("{}", "a\nb \"c\"\xff");
  const std::vector<LogField> fields = {{"stage", "x\ny"}, {"n", int64_t{2}}};
  LogWithFields(spdlog::level::info, std::string(5000, 'x'), fields);
  const std::string text = Text();
  EXPECT_TRUE(text.starts_with("{\"time\":\"20")) << text;
  EXPECT_NE(text.find("Z\",\"level\":\"warning\",\"message\":\"a\\nb \\\"c\\\"\xef\xbf\xbd\"}\n{"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find(std::string(4000, 'x') + "...\",\"stage\":\"x\\ny\",\"n\":2}\n"),
            std::string::npos)
      << text;
  EXPECT_EQ(Lines(), 2u);
}

TEST_F(LoggingTest, FieldsFollowTheMessage) {
  const std::vector<LogField> fields = {{"a", "b c"}};
  LogWithFields(spdlog::level::info, "one", fields);
  LogWithFields(spdlog::level::debug, "below the level", fields);
  EXPECT_NE(Text().find("[info] one a=\"b c\"\n"), std::string::npos) << Text();
  EXPECT_EQ(Lines(), 1u);
}

TEST_F(LoggingTest, TheDescriptorIsThatOfTheFile) {
  ASSERT_TRUE(InitializeLog("info", path_).ok());
  ASSERT_EQ(::write(LogDescriptor(), "one\n", 4), 4) << "before the first message";
  spdlog::info("two");
  EXPECT_TRUE(Text().starts_with("one\n")) << Text();
  EXPECT_TRUE(Text().ends_with("two\n")) << Text();
}

TEST(LogFormatTest, FormatsAreKnownByName) {
  EXPECT_EQ(ParseLogFormat("text"), LogFormat::kText);
  EXPECT_EQ(ParseLogFormat("json"), LogFormat::kJson);
  EXPECT_EQ(ParseLogFormat("JSON"), std::nullopt);
}

TEST_F(LoggingTest, SuppressesRepeatedMessagesOfLibraries) {
  for (int i = 0; i < 100000; ++i)
    LogLibraryMessage(LogLibrary::kAbseil, spdlog::level::err, "again");
  EXPECT_LT(Lines(), 1000u);
  EXPECT_GE(Lines(), 20u);
}

TEST(LogLevelTest, LevelsAreKnownByName) {
  for (const char* level : {"trace", "debug", "info", "warn", "error", "off"}) {
    EXPECT_TRUE(IsLogLevel(level)) << level;
  }
  for (const char* level : {"zzz", "", "INFO", "warning "})
    EXPECT_FALSE(IsLogLevel(level)) << level;
}

}  // namespace
}  // namespace stagedoor::server

// Messages of libraries in the log of the daemon. Their rate limits apply to the whole process, so
// these tests run in their own process.
#include <absl/base/internal/raw_logging.h>
#include <google/protobuf/stubs/logging.h>
#include <grpc/support/log.h>
#include <gtest/gtest.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <sstream>
#include <string>

#include "server/log/logging.h"
#include "server/log/testing/log_file_test.h"

namespace stagedoor::server {
namespace {

class LibraryLogsTest : public LogFileTest {
 protected:
  LibraryLogsTest() : LogFileTest("foreign.log") {}
};

TEST_F(LibraryLogsTest, LevelsOfLibrariesAreMappedToOurs) {
  ASSERT_TRUE(InitializeLog("trace", path_).ok());
  gpr_set_log_verbosity(GPR_LOG_SEVERITY_DEBUG);
  gpr_log(GPR_DEBUG, "one");
  gpr_log(GPR_INFO, "two");
  gpr_log(GPR_ERROR, "three");
  GOOGLE_LOG(INFO) << "four";
  GOOGLE_LOG(WARNING) << "five";
  GOOGLE_LOG(ERROR) << "six";
  ABSL_INTERNAL_LOG(INFO, "seven");
  ABSL_INTERNAL_LOG(WARNING, "eight");
  ABSL_INTERNAL_LOG(ERROR, "nine");
  const std::string text = Text();
  for (const char* line :
       {"[debug] [grpc] one\n", "[info] [grpc] two\n", "[error] [grpc] three\n",
        "[info] [protobuf] four\n", "[warning] [protobuf] five\n", "[error] [protobuf] six\n",
        "[info] [abseil] seven\n", "[warning] [abseil] eight\n", "[error] [abseil] nine\n"}) {
    EXPECT_NE(text.find(line), std::string::npos) << line << text;
  }
  EXPECT_EQ(Lines(), 9u);
}

// Logs until the next message is admitted, a second later.
TEST_F(LibraryLogsTest, ReportsTheNumberOfSuppressedMessages) {
  size_t logged = 0;
  std::string text;
  do {
    for (int i = 0; i < 100; ++i, ++logged) {
      LogLibraryMessage(LogLibrary::kProtobuf, spdlog::level::err, "again");
    }
    text = Text();
  } while (text.find("suppressed") == std::string::npos);
  size_t suppressed = 0, written = 0;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    const size_t number = line.find("[protobuf] ") + 11;
    if (line.find("messages were suppressed") == std::string::npos) {
      ++written;
    } else {
      suppressed += std::stoul(line.substr(number));
    }
  }
  EXPECT_LE(written + suppressed, logged);
  EXPECT_GT(written + suppressed, logged - 100) << "all but the last round's messages are counted";
}

TEST_F(LibraryLogsTest, SuppressesRawMessagesOfAbseil) {
  ::testing::internal::CaptureStderr();
  for (int i = 0; i < 1000; ++i) ABSL_RAW_LOG(ERROR, "again");
  const std::string text = ::testing::internal::GetCapturedStderr();
  const auto lines = std::count(text.begin(), text.end(), '\n');
  EXPECT_GE(lines, 20);
  EXPECT_LT(lines, 500);
}

TEST_F(LibraryLogsTest, FatalMessagesOfAbseilAreAlwaysWritten) {
  ::testing::FLAGS_gtest_death_test_style = "threadsafe";
  const auto run = [] {
    for (int i = 0; i < 1000; ++i) ABSL_RAW_LOG(ERROR, "again");
    ABSL_RAW_LOG(FATAL, "last words");
  };
  EXPECT_DEATH(run(), "last words");
}

}  // namespace
}  // namespace stagedoor::server

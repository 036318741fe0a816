#ifndef STAGEDOOR_SERVER_LOG_TESTING_LOG_FILE_TEST_H_
#define STAGEDOOR_SERVER_LOG_TESTING_LOG_FILE_TEST_H_

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <fstream>
#include <sstream>
#include <string>

#include "server/log/logging.h"

namespace stagedoor::server {

// Tests of the log of the process, which writes to a file for each test.
class LogFileTest : public ::testing::Test {
 protected:
  // `name` is that of the file, in the directory for temporary files.
  explicit LogFileTest(const std::string& name) : path_(::testing::TempDir() + "/" + name) {
    ::unlink(path_.c_str());
    const absl::Status installed = InitializeLog("info", path_);
    EXPECT_TRUE(installed.ok()) << installed;
  }
  std::string Text() {
    FlushLog(std::chrono::seconds(60));
    std::stringstream text;
    text << std::ifstream(path_).rdbuf();
    return text.str();
  }
  size_t Lines() {
    const std::string text = Text();
    return static_cast<size_t>(std::count(text.begin(), text.end(), '\n'));
  }
  const std::string path_;
};

}  // namespace stagedoor::server

#endif  // STAGEDOOR_SERVER_LOG_TESTING_LOG_FILE_TEST_H_

#include "server/listen/address_file.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

namespace stagedoor {
namespace {

namespace fs = std::filesystem;

std::string Content(const std::string& path) {
  std::stringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

class AddressFileTest : public ::testing::Test {
 protected:
  AddressFileTest() : folder_(::testing::TempDir() + "/address_file") {
    fs::remove_all(folder_);
    fs::create_directories(folder_);
  }
  const std::string folder_;
  const std::string path_ = folder_ + "/address";
};

TEST_F(AddressFileTest, IsThereWhileItsDaemonServes) {
  std::ofstream(path_) << "unix:/of/yesterday\n";
  AddressFile file(path_);
  ASSERT_TRUE(file.RemoveStale().ok());
  EXPECT_FALSE(fs::exists(path_)) << "nobody shall read yesterday's address";
  ASSERT_TRUE(file.Write({"127.0.0.1:1", "unix:/x"}).ok());
  EXPECT_EQ(Content(path_), "127.0.0.1:1\nunix:/x\n");
  file.Remove();
  EXPECT_TRUE(fs::is_empty(folder_));
}

TEST_F(AddressFileTest, LeavesTheFileOfAnotherDaemon) {
  AddressFile mine(path_), theirs(path_);
  ASSERT_TRUE(mine.Write({"127.0.0.1:1"}).ok());
  ASSERT_TRUE(theirs.Write({"127.0.0.1:2"}).ok());
  mine.Remove();
  EXPECT_EQ(Content(path_), "127.0.0.1:2\n");
}

TEST_F(AddressFileTest, TouchesNothingThatIsNoFile) {
  fs::create_directory(path_);
  EXPECT_FALSE(AddressFile(path_).RemoveStale().ok());
  EXPECT_TRUE(fs::is_directory(path_));
  EXPECT_FALSE(AddressFile(folder_ + "/nowhere/address").Write({"x"}).ok());
}

}  // namespace
}  // namespace stagedoor

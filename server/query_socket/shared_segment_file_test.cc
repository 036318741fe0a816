#include "server/query_socket/shared_segment_file.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <memory>
#include <string>

#include "base/strings.h"

namespace stagedoor::server {
namespace {

constexpr size_t kSize = 8192;

class SharedSegmentFileTest : public ::testing::Test {
 protected:
  void SetUp() override {
    auto file = SharedSegmentFile::Create(kSize);
    ASSERT_TRUE(file.ok()) << file.status();
    file_ = *std::move(file);
    fd_ = file_->TakeDescriptor();
  }
  void TearDown() override { ::close(fd_); }

  std::unique_ptr<SharedSegmentFile> file_;
  int fd_ = -1;
};

TEST_F(SharedSegmentFileTest, AnotherMappingSeesWhatIsWritten) {
  const void* const other = ::mmap(nullptr, kSize, PROT_READ, MAP_SHARED, fd_, 0);
  ASSERT_NE(other, MAP_FAILED);
  std::strcpy(file_->data() + 100, "written");
  EXPECT_STREQ(static_cast<const char*>(other) + 100, "written");
  file_ = nullptr;
  EXPECT_STREQ(static_cast<const char*>(other) + 100, "written") << "the memory lives on";
  ::munmap(const_cast<void*>(other), kSize);
}

// Whatever the holder of the descriptor tries, an access to the memory does not fail (SIGBUS), and
// what is in it stays.
TEST_F(SharedSegmentFileTest, TheHolderOfTheDescriptorCanOnlyRead) {
  const std::string again = Concat("/proc/self/fd/", fd_);
  const int reopened = ::open(again.c_str(), O_RDWR | O_CLOEXEC);
  for (const int fd : {fd_, reopened}) {
    if (fd < 0) continue;
    EXPECT_NE(::ftruncate(fd, 0), 0);
    EXPECT_NE(::ftruncate(fd, 2 * kSize), 0);
    EXPECT_LT(::pwrite(fd, "x", 1, 0), 0);
    EXPECT_NE(::fallocate(fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, 0, kSize), 0);
    EXPECT_EQ(::mmap(nullptr, kSize, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0), MAP_FAILED);
    EXPECT_NE(::fcntl(fd, F_ADD_SEALS, F_SEAL_WRITE), 0);
  }
  if (reopened >= 0) ::close(reopened);
  std::memset(file_->data(), 1, kSize);
  struct stat about {};
  EXPECT_EQ(::fstat(fd_, &about), 0);
  EXPECT_EQ(about.st_size, static_cast<off_t>(kSize));
}

}  // namespace
}  // namespace stagedoor::server

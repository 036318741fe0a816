#include "resolver/file/mapped_region.h"

#include <stdlib.h>
#include <unistd.h>

#include <memory>
#include <string>
#include <vector>

#include "gtest/gtest.h"

namespace stagedoor {
namespace {

// A file without a name that contains the byte 'x' `size` times.
class NamelessFile {
 public:
  explicit NamelessFile(size_t size) {
    std::string name = testing::TempDir() + "/mappedXXXXXX";
    fd_ = mkstemp(name.data());
    EXPECT_GE(fd_, 0);
    unlink(name.c_str());
    const std::string content(size, 'x');
    EXPECT_EQ(write(fd_, content.data(), size), static_cast<ssize_t>(size));
  }
  ~NamelessFile() { close(fd_); }
  NamelessFile(const NamelessFile&) = delete;
  NamelessFile& operator=(const NamelessFile&) = delete;

  int fd() const { return fd_; }
  void Cut(off_t size) const { EXPECT_EQ(ftruncate(fd_, size), 0); }

 private:
  int fd_;
};

size_t PageSize() { return static_cast<size_t>(sysconf(_SC_PAGESIZE)); }

std::shared_ptr<const MappedRegion> Map(const NamelessFile& file, size_t size) {
  auto region = MappedRegion::Map(file.fd(), size);
  EXPECT_TRUE(region.ok()) << region.status();
  return region.ok() ? *std::move(region) : nullptr;
}

TEST(MappedRegionTest, ContainsTheBytesOfTheFile) {
  const NamelessFile file(100);
  const auto region = Map(file, 100);
  EXPECT_EQ(region->bytes().size(), 100u);
  EXPECT_EQ(region->bytes()[0], std::byte{'x'});
  EXPECT_EQ(region->bytes()[99], std::byte{'x'});
  EXPECT_FALSE(region->damaged());
}

TEST(MappedRegionTest, FailedMappingsAreErrors) {
  EXPECT_EQ(MappedRegion::Map(-1, 100).status().code(), absl::StatusCode::kUnavailable);
  const NamelessFile file(100);
  EXPECT_EQ(MappedRegion::Map(file.fd(), 0).status().code(), absl::StatusCode::kUnavailable);
}

// Uses more than one block of slots.
TEST(MappedRegionTest, OnlyTruncatedRegionsAreDamaged) {
  const size_t page = PageSize();
  const NamelessFile whole(2 * page);
  std::vector<std::shared_ptr<const MappedRegion>> others;
  for (int i = 0; i < 600; ++i) others.push_back(Map(whole, 2 * page));
  const NamelessFile file(2 * page);
  std::vector<std::shared_ptr<const MappedRegion>> regions;
  for (int i = 0; i < 3; ++i) regions.push_back(Map(file, 2 * page));
  file.Cut(static_cast<off_t>(page));
  EXPECT_EQ(regions[1]->bytes()[page], std::byte{0});
  EXPECT_EQ(regions[1]->bytes()[2 * page - 1], std::byte{0});
  EXPECT_EQ(regions[1]->bytes()[page - 1], std::byte{'x'}) << "before the end of the file";
  EXPECT_TRUE(regions[1]->damaged());
  EXPECT_FALSE(regions[0]->damaged()) << "it was not read";
  EXPECT_FALSE(regions[2]->damaged());
  for (const auto& other : others) {
    EXPECT_FALSE(other->damaged());
    EXPECT_EQ(other->bytes()[2 * page - 1], std::byte{'x'});
  }
}

TEST(MappedRegionTest, NewRegionsAreNotDamaged) {
  const size_t page = PageSize();
  for (int i = 0; i < 3; ++i) {
    const NamelessFile file(page);
    const auto region = Map(file, page);
    EXPECT_FALSE(region->damaged()) << i;
    file.Cut(0);
    EXPECT_EQ(region->bytes()[page - 1], std::byte{0}) << i;
    EXPECT_TRUE(region->damaged()) << i;
  }
}

// There are 65536 slots.
TEST(MappedRegionTest, SlotsOfReleasedRegionsAreReused) {
  const NamelessFile file(10);
  for (int i = 0; i < 70000; ++i) {
    const auto region = MappedRegion::Map(file.fd(), 10);
    ASSERT_TRUE(region.ok()) << i << " " << region.status();
  }
}

}  // namespace
}  // namespace stagedoor

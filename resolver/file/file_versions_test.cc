#include "resolver/file/file_versions.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <span>
#include <string>
#include <vector>

#include "base/testing/temp_dir.h"
#include "base/unique_fd.h"
#include "gtest/gtest.h"
#include "resolver/file/content_hash.h"
#include "resolver/file/file_version.h"

namespace stagedoor {
namespace {

constexpr size_t kLarge = 3'000'000;

class FileVersionsTest : public testing::Test {
 protected:
  // Writes a new file whose modification time is 1, and waits until its times are settled.
  void Write(const std::string& text) {
    folder_.Write("a.bin", text);
    const struct timespec times[2] = {{1, 0}, {1, 0}};
    EXPECT_EQ(utimensat(AT_FDCWD, path_.c_str(), times, 0), 0);
    const UniqueFd fd(open(path_.c_str(), O_RDONLY));
    EXPECT_TRUE(StatWhenStable(fd.get(), &info_));
  }
  AssetVersion Find(FileVersions& versions) {
    const UniqueFd fd(open(path_.c_str(), O_RDONLY));
    return versions.Find(context_, fd.get(), path_, info_).value().version;
  }

  std::string HashOf(FileVersions& versions) {
    const UniqueFd fd(open(path_.c_str(), O_RDONLY));
    return versions.Find(context_, fd.get(), path_, info_).value().hash;
  }

  const TempDir folder_;
  const std::string path_ = folder_ / "a.bin";
  struct stat info_ = {};
  RequestContext context_;
};

TEST_F(FileVersionsTest, SmallFilesAreTheirContent) {
  FileVersions versions, others;
  Write("content");
  const AssetVersion first = Find(versions);
  EXPECT_EQ(first.token(),
            "file:7:" + HashOfBytes(std::as_bytes(std::span("content", 7)), HashExtent::kWhole));
  EXPECT_EQ(first.content(), first.token());
  Write("CONTENT");
  EXPECT_NE(Find(versions), first) << "of equal size and time";
  Write("content");
  EXPECT_EQ(Find(versions), first) << "another inode, the same bytes";
  EXPECT_EQ(Find(others), first) << "as on another machine";
  const std::string read = "content";
  EXPECT_EQ(others.FindRead(path_, info_, std::as_bytes(std::span(read))).version, first);
}

TEST_F(FileVersionsTest, LargeFilesAreTheirInodeToo) {
  FileVersions versions;
  std::string text(kLarge, 'x');
  Write(text);
  const AssetVersion first = Find(versions);
  Write(text);
  const AssetVersion copy = Find(versions);
  EXPECT_NE(copy, first);
  EXPECT_EQ(copy.content(), first.content());
  text[5000] = 'y';  // not in the sample
  Write(text);
  EXPECT_NE(Find(versions), copy);
  EXPECT_EQ(Find(versions).content(), first.content()) << "what cannot be known";
  text[0] = 'y';
  Write(text);
  EXPECT_NE(Find(versions).content(), first.content());
}

TEST_F(FileVersionsTest, VerifiedContentIsTheWholeFile) {
  FileVersions versions({.verify_content = true});
  std::string text(kLarge, 'x');
  Write(text);
  const AssetVersion first = Find(versions);
  EXPECT_EQ(first.content(), first.token());
  text[5000] = 'y';
  Write(text);
  EXPECT_NE(Find(versions), first);
}

TEST_F(FileVersionsTest, AHashIsKnownUntilTheFileChanges) {
  FileVersions versions;
  Write("content");
  EXPECT_FALSE(versions.Known(path_, info_).has_value());
  const AssetVersion version = Find(versions);
  EXPECT_EQ(versions.Known(path_, info_), version);
  EXPECT_FALSE(versions.Known(folder_ / "b.bin", info_).has_value());
  struct stat later = info_;
  ++later.st_ctim.tv_nsec;
  EXPECT_FALSE(versions.Known(path_, later).has_value());
}

// The file may be written to again in the same tick of the clock.
TEST_F(FileVersionsTest, AHashIsNotKnownBeforeTheTimesAreSettled) {
  FileVersions versions;
  Write("content");
  clock_gettime(CLOCK_REALTIME_COARSE, &info_.st_ctim);
  Find(versions);
  EXPECT_FALSE(versions.Known(path_, info_).has_value());
}

TEST_F(FileVersionsTest, AFaultMakesAnotherVersionOfTheSameContent) {
  for (const size_t size : {size_t{7}, kLarge}) {
    FileVersions versions;
    Write(std::string(size, 'x'));
    const std::string hash = HashOf(versions);
    const AssetVersion before = Find(versions);
    versions.AddFault(hash);
    const AssetVersion after = Find(versions);
    EXPECT_NE(after, before);
    EXPECT_EQ(after.content(), before.content());
    versions.AddFault("of another content");
    EXPECT_EQ(versions.Known(path_, info_), after);
    Write(std::string(size, 'x'));
    EXPECT_NE(Find(versions), before) << "of another file, too";
    versions.AddFault(hash);
    EXPECT_NE(Find(versions), after);
  }
}

// As on FUSE and some NFS servers.
TEST_F(FileVersionsTest, InodesThatChangeWithoutAReasonAreLeftOut) {
  std::vector<std::string> reports;
  FileVersions versions({.report = [&](const std::string& text) { reports.push_back(text); }});
  Write(std::string(kLarge, 'x'));
  const struct stat info = info_;
  std::vector<AssetVersion> found;
  for (int i = 0; i < 5; ++i) {
    found.push_back(Find(versions));
    ++info_.st_ino;
    EXPECT_EQ(versions.SameFile(info_, info), i >= 2) << i;
  }
  EXPECT_NE(found[0], found[1]);
  EXPECT_EQ(found[2], found[3]);
  EXPECT_EQ(found[3], found[4]);
  EXPECT_TRUE(versions.Known(path_, info_).has_value()) << "without reading it again";
  ASSERT_EQ(reports.size(), 1u) << "once";
  EXPECT_NE(reports[0].find(path_), std::string::npos) << reports[0];
  struct stat changed = info_;
  ++changed.st_ctim.tv_nsec;
  EXPECT_FALSE(versions.Known(path_, changed).has_value());
  changed = info_;
  ++changed.st_dev;
  EXPECT_FALSE(versions.SameFile(changed, info_));
}

TEST_F(FileVersionsTest, AFileThatIsReplacedDoesNotMakeInodesUnstable) {
  int reports = 0;
  FileVersions versions({.report = [&](const std::string&) { ++reports; }});
  for (int i = 0; i < 5; ++i) {
    Write(std::string(kLarge, 'x'));
    Find(versions);
  }
  EXPECT_EQ(reports, 0);
}

}  // namespace
}  // namespace stagedoor

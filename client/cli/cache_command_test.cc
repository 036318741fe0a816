#include <fcntl.h>
#include <unistd.h>

#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "base/testing/temp_dir.h"
#include "client/cli/command_check.h"
#include "client/cli/command_line.h"
#include "client/cli/commands.h"
#include "client/cli/exit_status.h"
#include "gtest/gtest.h"
#include "resolver/store/block_cache.h"
#include "resolver/store/store_resolver.h"
#include "resolver/store/testing/fake_store.h"

namespace stagedoor {
namespace {

class CacheCommandTest : public testing::Test {
 protected:
  void SetUp() override {
    store_->Put("fake://h/a.usd", std::string(100000, 'a'));
    const auto cache = *BlockCache::Create({.directory = dir_.path()});
    const StoreResolver resolver(store_, *cache, {});
    RequestContext context;
    const auto asset = *resolver.OpenAsset(context, {}, "fake://h/a.usd");
    std::byte byte;
    ASSERT_TRUE(asset->Read(context, 99999, {&byte, 1}).ok());
    data_ = cache->directory()->DataPath({"fake://h/a.usd", asset->version().token(), 100000});
  }
  absl::Status Run(std::vector<std::string> args) {
    args.insert(args.begin(), "cache");
    const auto line = CommandLine::Parse(args);
    if (!line.ok()) return line.status();
    if (absl::Status valid = CheckCommandLine(*line); !valid.ok()) return valid;
    std::FILE* file = std::tmpfile();
    absl::Status status;
    {
      Output output(::fileno(file));
      status = RunCache(*line, output);
    }
    std::rewind(file);
    char buffer[4096];
    printed_.assign(buffer, std::fread(buffer, 1, sizeof(buffer), file));
    std::fclose(file);
    return status;
  }
  bool Has(std::string_view text) const { return printed_.find(text) != std::string::npos; }

  const TempDir dir_;
  const std::shared_ptr<FakeStore> store_ = std::make_shared<FakeStore>();
  std::string data_;
  std::string printed_;
};

TEST_F(CacheCommandTest, ListsWhatIsThere) {
  ASSERT_TRUE(Run({"ls", dir_.path()}).ok());
  // The head of 64 KiB and the last block.
  EXPECT_TRUE(Has("fake://h/a.usd: 67232 of 100000 bytes, last used 20")) << printed_;
  EXPECT_TRUE(Has("\n1 objects, ")) << printed_;
}

TEST_F(CacheCommandTest, VerifyReportsDamageOnce) {
  ASSERT_TRUE(Run({"verify", dir_.path()}).ok()) << printed_;
  EXPECT_TRUE(Has("1 objects, 67232 bytes, 0 damaged\n")) << printed_;
  const int fd = open(data_.c_str(), O_RDWR);
  ASSERT_EQ(pwrite(fd, "?", 1, 0), 1);
  close(fd);
  EXPECT_EQ(ToExitStatus(Run({"verify", dir_.path()})), kExitBrokenFile);
  EXPECT_TRUE(Has("damaged: fake://h/a.usd: 16384 bytes, which were removed\n")) << printed_;
  EXPECT_TRUE(Run({"verify", dir_.path()}).ok());
}

TEST_F(CacheCommandTest, EvictsDownToASize) {
  ASSERT_TRUE(Run({"evict", dir_.path(), "--max-bytes=1e9"}).ok());
  EXPECT_TRUE(Has("0 objects evicted, ")) << printed_;
  ASSERT_TRUE(Run({"evict", dir_.path()}).ok());
  ASSERT_TRUE(Run({"ls", dir_.path()}).ok());
  EXPECT_TRUE(Has("0 objects, 0 bytes on disk\n")) << printed_;
}

TEST_F(CacheCommandTest, MistakesAreNamed) {
  EXPECT_TRUE(IsUsageError(Run({"purge", dir_.path()})));
  EXPECT_TRUE(IsUsageError(Run({"ls"})));
  EXPECT_TRUE(IsUsageError(Run({"evict", dir_.path(), "--max-bytes=-1"})));
  EXPECT_EQ(Run({"ls", dir_ / "none"}).code(), absl::StatusCode::kNotFound);
}

}  // namespace
}  // namespace stagedoor

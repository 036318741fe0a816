#include "resolver/polling_change_source.h"

#include <gtest/gtest.h>

#include "base/strings.h"
#include "resolver/change_source_chain.h"
#include "resolver/memory/memory_resolver.h"
#include "resolver/testing/change_recorder.h"
#include "resolver/testing/faulty_resolver.h"

namespace stagedoor {
namespace {

using std::chrono::milliseconds;
using Paths = std::set<std::string>;

class PollingChangeSourceTest : public testing::Test {
 protected:
  void Make(PollingOptions options = {}) {
    options.start_thread = false;
    options.now = [this] { return now_; };
    source_ = std::make_unique<PollingChangeSource>(
        std::make_shared<FaultyResolver>(memory_, faults_), options);
    source_->Start(changes_.callback());
  }
  void Put(const std::string& path, const std::string& content) {
    ASSERT_TRUE(memory_->Put(path, content).ok());
  }
  // As stages do, with the version that is there now.
  void Watch(const std::string& path) {
    RequestContext context;
    const auto version = memory_->GetVersion(context, {}, path);
    const WatchedAsset asset{path, version.ok() ? version->token() : ""};
    EXPECT_TRUE(source_->Watch({&asset, 1}).empty());
  }
  // Lets time pass until everything was compared once.
  Paths AfterAnInterval() {
    const auto end = now_ + milliseconds(5600);
    for (;;) {
      const auto next = source_->Poll();
      if (next > end) break;
      now_ = std::max(now_, next);
    }
    now_ = end;
    return changes_.Take();
  }

  PollingOptions::Clock::time_point now_ = PollingOptions::Clock::now();
  std::shared_ptr<MemoryResolver> memory_ = std::make_shared<MemoryResolver>();
  std::shared_ptr<Faults> faults_ = std::make_shared<Faults>();
  ChangeRecorder changes_;
  std::unique_ptr<PollingChangeSource> source_;
};

TEST_F(PollingChangeSourceTest, ReportsAssetsWithAnotherVersionOnce) {
  Make();
  for (const char* path : {"/a", "/b", "/gone"}) Put(path, "1");
  for (const char* path : {"/a", "/b", "/gone", "/missing"}) Watch(path);
  EXPECT_EQ(AfterAnInterval(), Paths());
  Put("/a", "2");
  Put("/missing", "new");
  memory_->Remove("/gone");
  EXPECT_EQ(AfterAnInterval(), Paths({"/a", "/gone", "/missing"}));
  EXPECT_EQ(AfterAnInterval(), Paths());
  source_->Unwatch(std::vector<std::string>{"/a"});
  Put("/a", "3");
  EXPECT_EQ(AfterAnInterval(), Paths());
  EXPECT_EQ(source_->GetStats().polled, 3u);
}

TEST_F(PollingChangeSourceTest, NoticesAChangeBeforeTheFirstComparison) {
  Make();
  Put("/a", "1");
  Watch("/a");
  Put("/a", "2");
  EXPECT_EQ(AfterAnInterval(), Paths({"/a"}));
}

TEST_F(PollingChangeSourceTest, ReportsToCallersWithDifferentVersions) {
  Make();
  Put("/a", "1");
  Watch("/a");
  Put("/a", "2");
  Watch("/a");  // by another caller, who opened the new version
  EXPECT_EQ(AfterAnInterval(), Paths({"/a"})) << "the first caller has the old one";
  source_->Unwatch(std::vector<std::string>{"/a"});
  Put("/a", "3");
  EXPECT_EQ(AfterAnInterval(), Paths({"/a"})) << "one caller is left";
}

TEST_F(PollingChangeSourceTest, AVersionThatCannotBeDeterminedCountsAsUnchanged) {
  Make();
  Put("/a", "1");
  Watch("/a");
  faults_->versions_unavailable = true;
  Put("/a", "2");
  EXPECT_EQ(AfterAnInterval(), Paths());
  faults_->versions_unavailable = false;
  EXPECT_EQ(AfterAnInterval(), Paths({"/a"}));
}

TEST_F(PollingChangeSourceTest, AsksForManyVersionsAtOnceWithinTheRate) {
  Make({.interval = milliseconds(1000), .max_versions_per_second = 100, .max_batch = 40});
  for (int i = 0; i < 300; ++i) Watch(Concat("/", i));
  for (int i = 0; i < 300; ++i) Watch(Concat("/", i));  // a second caller costs nothing
  const auto end = now_ + milliseconds(10000);
  for (;;) {
    const auto next = source_->Poll();
    if (next > end) break;
    now_ = std::max(now_, next);
  }
  // 100 a second for 10 seconds and the first batch, although 300 a second are due.
  EXPECT_LE(faults_->versions, 1000 + 40);
  EXPECT_GE(faults_->versions, 900);
  EXPECT_LE(faults_->version_calls, 1040 / 40 + 10);
}

TEST_F(PollingChangeSourceTest, AsksOnceAtATimeWithoutAnInterval) {
  Make({.interval = milliseconds(0)});
  Watch("/a");
  source_->Poll();
  EXPECT_EQ(faults_->versions, 1);
}

TEST_F(PollingChangeSourceTest, PollsOnItsOwnThread) {
  Put("/a", "1");
  PollingOptions options;
  options.interval = milliseconds(1);
  ChangeSourceChain chain([&] {
    std::vector<std::unique_ptr<ChangeSource>> sources;
    sources.push_back(std::make_unique<PollingChangeSource>(memory_, options));
    return sources;
  }());
  chain.Start(changes_.callback());
  RequestContext context;
  const WatchedAsset asset{"/a", memory_->GetVersion(context, {}, "/a")->token()};
  EXPECT_TRUE(chain.Watch({&asset, 1}).empty());
  Put("/a", "2");
  EXPECT_TRUE(changes_.WaitFor("/a"));
  EXPECT_EQ(chain.GetStats().polled, 1u);
  chain.Unwatch(std::vector<std::string>{"/a", "/unknown"});
  EXPECT_EQ(chain.GetStats().polled, 0u);
}

// Takes the paths that begin with `prefix`.
class PrefixSource final : public ChangeSource {
 public:
  explicit PrefixSource(std::string prefix) : prefix_(std::move(prefix)) {}
  void Start(Callback) override {}
  std::vector<WatchedAsset> Watch(std::span<const WatchedAsset> assets) override {
    std::vector<WatchedAsset> refused;
    for (const WatchedAsset& asset : assets) {
      asset.path.starts_with(prefix_) ? (void)++watched : refused.push_back(asset);
    }
    return refused;
  }
  void Unwatch(std::span<const std::string> paths) override { watched -= paths.size(); }
  Stats GetStats() const override { return {.watched = watched}; }

  size_t watched = 0;

 private:
  const std::string prefix_;
};

TEST(ChangeSourceChainTest, TheFirstSourceThatCanWatchAnAssetDoes) {
  auto first = std::make_unique<PrefixSource>("/a"), second = std::make_unique<PrefixSource>("/");
  PrefixSource& a = *first;
  PrefixSource& b = *second;
  std::vector<std::unique_ptr<ChangeSource>> sources;
  sources.push_back(std::move(first));
  sources.push_back(std::move(second));
  ChangeSourceChain chain(std::move(sources));
  const std::vector<WatchedAsset> assets = {{"/a1", "1"}, {"/b", "1"}, {"x://c", "1"}};
  EXPECT_EQ(chain.Watch(assets), std::vector<WatchedAsset>({{"x://c", "1"}}));
  chain.Watch(std::span(assets).first(1));
  EXPECT_EQ(a.watched, 2u);
  EXPECT_EQ(b.watched, 1u);
  chain.Unwatch(std::vector<std::string>{"/a1", "/a1", "/a1", "/b"});
  EXPECT_EQ(a.watched, 0u);
  EXPECT_EQ(b.watched, 0u);
}

}  // namespace
}  // namespace stagedoor

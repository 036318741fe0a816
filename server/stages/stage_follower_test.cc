#include "server/stages/stage_follower.h"

#include <gtest/gtest.h>

#include <chrono>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/executor.h"
#include "base/strings.h"
#include "base/testing/thread_pool_executor.h"
#include "resolver/memory/memory_resolver.h"
#include "resolver/polling_change_source.h"
#include "resolver/testing/faulty_resolver.h"
#include "scene/testing/test_scene.h"
#include "scene/usda/usda_format.h"

namespace stagedoor::server {
namespace {

using std::chrono::milliseconds;
using Snapshot = std::shared_ptr<const StageSnapshot>;

// Reports what the test says.
class FakeSource final : public ChangeSource {
 public:
  explicit FakeSource(std::map<std::string, int>& watched) : watched_(watched) {}
  void Start(Callback callback) override { callback_ = std::move(callback); }
  std::vector<WatchedAsset> Watch(std::span<const WatchedAsset> assets) override {
    for (const WatchedAsset& asset : assets) ++watched_[asset.path];
    return {};
  }
  void Unwatch(std::span<const std::string> paths) override {
    for (const std::string& path : paths) {
      if (--watched_[path] == 0) watched_.erase(path);
    }
  }
  Stats GetStats() const override { return {.watched = watched_.size()}; }
  void Report(const AssetChanges& changes) { callback_(changes); }

 private:
  std::map<std::string, int>& watched_;  // how often, by path
  Callback callback_;
};

class StageFollowerTest : public ::testing::Test {
 protected:
  StageFollowerTest() {
    auto source = std::make_unique<FakeSource>(watched_);
    source_ = source.get();
    FollowOptions options;
    options.now = [this] { return now_; };
    options.start_thread = false;
    options.search_paths = {"/lib"};
    follower_ = std::make_unique<StageFollower>(cache_, std::move(source), inline_, options);
    scene_.Write("root.usda", "(\n  subLayers = [@./sub.usda@]\n)\ndef \"P\" {}\n");
    Put(1);
  }

  // Writes the sublayer.
  void Put(int x) { scene_.Write("sub.usda", Concat("over \"P\" { int x = ", x, "; }\n")); }
  void PutHalf() { scene_.Write("sub.usda", "over \"P\" { int x = "); }

  std::shared_ptr<StageSession> Session(const std::string& root = "/root.usda") {
    StageKey stage_key;
    stage_key.options.root = root;
    stage_key.policy = ChangePolicy::kFollow;
    const auto opened = cache_.Open(scene_.context(), stage_key);
    EXPECT_TRUE(opened.ok()) << opened.status();
    auto session = std::make_shared<StageSession>(cache_, stage_key, "routing", opened->snapshot);
    follower_->Follow(session);
    return session;
  }
  // Reports a change and lets time pass until it is dealt with.
  void Report(const std::string& path) {
    source_->Report({.all = false, .paths = {path}});
    Pass(milliseconds(1000));
  }
  void Pass(milliseconds time) {
    const auto end = now_ + time;
    for (;;) {
      const auto next = follower_->RunDue();
      if (next > end) break;
      now_ = std::max(now_ + milliseconds(1), next);
    }
    now_ = std::max(now_, end);
  }
  static int X(const Snapshot& snapshot) {
    RequestContext context;
    const Property property = snapshot->stage().FindProperty(P("/P.x"));
    if (!property.valid()) return 0;
    const Value value = Attribute(property).Get(context, TimeCode::Default());
    const int* x = value.Get<int>();
    return x == nullptr ? 0 : *x;
  }
  static int X(const std::shared_ptr<StageSession>& session) { return X(session->Newest()); }
  uint64_t reopens() const { return follower_->GetStats().reopens; }

  TestScene scene_;
  InlineExecutor inline_;
  StageCache cache_{scene_.environment(), {}};
  FollowOptions::Clock::time_point now_ = FollowOptions::Clock::now();
  std::map<std::string, int> watched_;
  FakeSource* source_ = nullptr;
  std::unique_ptr<StageFollower> follower_;
};

TEST_F(StageFollowerTest, PublishesANewSnapshotAndKeepsTheOldOneForThoseWhoPinnedIt) {
  const auto session = Session();
  Pass(milliseconds(100));
  EXPECT_EQ(watched_, (std::map<std::string, int>{{"/root.usda", 1}, {"/sub.usda", 1}}));
  const Snapshot before = session->Newest();
  Put(2);
  EXPECT_EQ(X(session), 1);
  Report("/sub.usda");
  EXPECT_EQ(X(session), 2);
  EXPECT_NE(session->Newest()->fingerprint(), before->fingerprint());
  EXPECT_EQ(session->Snapshot(before->fingerprint()).value(), before);
  EXPECT_EQ(X(before), 1) << "a request that has the old snapshot is not affected";
  EXPECT_EQ(watched_, (std::map<std::string, int>{{"/root.usda", 1}, {"/sub.usda", 1}}));
  EXPECT_EQ(follower_->GetStats().stages, 1u);
  EXPECT_EQ(follower_->GetStats().failures, 0u);
}

TEST_F(StageFollowerTest, ABurstOfChangesReopensOnce) {
  const auto session = Session();
  Pass(milliseconds(100));
  for (int x = 2; x <= 6; ++x) {
    Put(x);
    source_->Report({.all = false, .paths = {"/sub.usda"}});
    Pass(milliseconds(150));
    EXPECT_EQ(X(session), 1) << "at " << x;
  }
  Pass(milliseconds(60));
  EXPECT_EQ(X(session), 6);
  EXPECT_EQ(reopens(), 1u);
  EXPECT_EQ(follower_->GetStats().changes, 5u);
}

TEST_F(StageFollowerTest, ABurstWithoutEndReopensAfterTheLongestDelay) {
  const auto session = Session();
  Pass(milliseconds(100));
  for (int x = 2; x <= 16; ++x) {  // 2250 ms
    Put(x);
    source_->Report({.all = false, .paths = {"/sub.usda"}});
    Pass(milliseconds(150));
  }
  EXPECT_EQ(reopens(), 1u);
  EXPECT_GT(X(session), 10);
}

TEST_F(StageFollowerTest, AChangeBeforeTheAssetsAreWatchedIsFound) {
  const auto session = Session();
  Put(2);
  Pass(milliseconds(100));
  EXPECT_EQ(X(session), 2);
}

TEST_F(StageFollowerTest, AReportWithoutAChangeDoesNothing) {
  const auto session = Session();
  Pass(milliseconds(100));
  const Snapshot before = session->Newest();
  Report("/sub.usda");
  Report("/other.usda");
  EXPECT_EQ(session->Newest(), before);
  EXPECT_EQ(reopens(), 0u);
  EXPECT_EQ(follower_->GetStats().changes, 1u);
}

TEST_F(StageFollowerTest, AHalfWrittenLayerKeepsTheOldSnapshot) {
  const auto session = Session();
  Pass(milliseconds(100));
  const Snapshot before = session->Newest();
  PutHalf();
  source_->Report({.all = false, .paths = {"/sub.usda"}});
  Pass(milliseconds(210));
  EXPECT_EQ(session->Newest(), before);
  EXPECT_EQ(follower_->GetStats().failures, 1u);
  Pass(milliseconds(500));
  EXPECT_EQ(follower_->GetStats().failures, 2u) << "tried again";
  Pass(milliseconds(600));
  EXPECT_EQ(follower_->GetStats().failures, 2u) << "later than before";
  Pass(milliseconds(600));
  EXPECT_EQ(follower_->GetStats().failures, 3u);
  Put(3);
  Report("/sub.usda");
  EXPECT_EQ(X(session), 3) << "at once when the file is complete";
  EXPECT_EQ(reopens(), 1u);
}

TEST_F(StageFollowerTest, ABrokenLayerThatIsCompletedWithoutAReportIsFoundByTryingAgain) {
  const auto session = Session();
  Pass(milliseconds(100));
  PutHalf();
  Report("/sub.usda");
  Put(3);
  Pass(milliseconds(120000));
  EXPECT_EQ(X(session), 3);
}

TEST_F(StageFollowerTest, AnUnreadableRootKeepsTheOldSnapshot) {
  const auto session = Session();
  Pass(milliseconds(100));
  const Snapshot before = session->Newest();
  scene_.Remove("root.usda");
  Report("/root.usda");
  EXPECT_EQ(session->Newest(), before);
  scene_.Write("root.usda", "def \"P\" { int x = 7; }\n");
  Report("/root.usda");
  EXPECT_EQ(X(session), 7);
  EXPECT_FALSE(watched_.contains("/sub.usda")) << "not used any more";
}

TEST_F(StageFollowerTest, ABrokenLayerThatIsNotUsedAnyMoreDoesNotMatter) {
  const auto session = Session();
  Pass(milliseconds(100));
  PutHalf();
  scene_.Write("root.usda", "def \"P\" { int x = 7; }\n");
  Report("/root.usda");
  EXPECT_EQ(X(session), 7);
}

TEST_F(StageFollowerTest, ADeletedLayerMayHaveBeenWhatUsedABrokenOne) {
  scene_.Write("sub.usda", "(\n  subLayers = [@./deep.usda@]\n)\nover \"P\" { int x = 1; }\n");
  scene_.Write("deep.usda", "over \"P\" {}\n");
  const auto session = Session();
  Pass(milliseconds(100));
  scene_.Remove("sub.usda");
  scene_.Write("deep.usda", "over \"P\" {");
  source_->Report({.all = false, .paths = {"/sub.usda", "/deep.usda"}});
  Pass(milliseconds(1000));
  EXPECT_EQ(X(session), 0);
}

TEST_F(StageFollowerTest, DeletedAndMissingLayers) {
  scene_.Remove("sub.usda");
  const auto session = Session();
  Pass(milliseconds(100));
  EXPECT_EQ(X(session), 0);
  EXPECT_TRUE(watched_.contains("/sub.usda"));
  Put(2);
  Report("/sub.usda");
  EXPECT_EQ(X(session), 2) << "created";
  scene_.Remove("sub.usda");
  Report("/sub.usda");
  EXPECT_EQ(X(session), 0) << "deleted";
  PutHalf();
  Report("/sub.usda");
  EXPECT_EQ(reopens(), 2u) << "there is nothing to read yet";
  Put(3);
  Report("/sub.usda");
  EXPECT_EQ(X(session), 3) << "created again";
  EXPECT_EQ(reopens(), 3u);
}

TEST_F(StageFollowerTest, FindsMissingAssetsWhereTheyWouldBe) {
  scene_.Write("search.usda", "def \"P\" ( references = @a/ref.usda@</R> ) {}\n");
  const auto session = Session("/search.usda");
  Pass(milliseconds(100));
  EXPECT_TRUE(watched_.contains("/a/ref.usda")) << "beside the layer";
  EXPECT_TRUE(watched_.contains("/lib/a/ref.usda")) << "below a search path";
  scene_.Write("a/ref.usda", "def \"R\" { int x = 5; }\n");
  Report("/a/ref.usda");
  EXPECT_EQ(X(session), 5);
  EXPECT_FALSE(watched_.contains("/lib/a/ref.usda"));
}

TEST_F(StageFollowerTest, SessionsOfOneStageShareItsSuccessor) {
  const auto a = Session(), b = Session();
  Pass(milliseconds(100));
  Put(2);
  Report("/sub.usda");
  EXPECT_EQ(X(a), 2);
  EXPECT_EQ(a->Newest(), b->Newest());
  EXPECT_EQ(reopens(), 1u);
  EXPECT_EQ(Session()->Newest(), a->Newest()) << "and so does a new one";
}

TEST_F(StageFollowerTest, AnEditedSessionIsFollowedToo) {
  const auto plain = Session(), edited = Session();
  Pass(milliseconds(100));
  scene_.Write("look.usda", "over \"P\" { int x = 10; }\n");
  const auto change = [](StageKey& stage_key) {
    stage_key.options.session = "/look.usda";
    return absl::OkStatus();
  };
  ASSERT_TRUE(edited->Edit(scene_.context(), {}, change).ok());
  follower_->Follow(edited);
  Pass(milliseconds(1500));
  EXPECT_EQ(follower_->GetStats().stages, 2u);
  scene_.Write("look.usda", "over \"P\" { int x = 11; }\n");
  Report("/look.usda");
  EXPECT_EQ(X(edited), 11);
  EXPECT_EQ(X(plain), 1);
  scene_.Write("sub.usda", "over \"P\" { int x = 2; int y = 1; }\n");
  Report("/sub.usda");
  EXPECT_EQ(X(plain), 2);
  EXPECT_EQ(X(edited), 11);
  EXPECT_TRUE(edited->Newest()->stage().FindProperty(P("/P.y")).valid());
}

TEST_F(StageFollowerTest, AfterLostReportsEverythingIsCompared) {
  const auto session = Session();
  Pass(milliseconds(100));
  Put(2);
  source_->Report({.all = true, .paths = {}});
  Pass(milliseconds(1000));
  EXPECT_EQ(X(session), 2);
}

TEST_F(StageFollowerTest, NothingIsWatchedOnceTheSessionsHaveEnded) {
  auto session = Session(), other = Session();
  Pass(milliseconds(100));
  session.reset();
  Pass(milliseconds(3000));
  EXPECT_EQ(watched_.size(), 2u);
  other.reset();
  Pass(milliseconds(3000));
  EXPECT_TRUE(watched_.empty());
  EXPECT_EQ(follower_->GetStats().stages, 0u);
  EXPECT_EQ(follower_->RunDue(), FollowOptions::Clock::time_point::max()) << "nothing is due";
}

TEST_F(StageFollowerTest, KeepsUpOnItsOwnThreads) {
  follower_.reset();
  ThreadPoolExecutor executor(2);
  PollingOptions polling;
  polling.interval = milliseconds(1);
  FollowOptions options;
  options.debounce = milliseconds(1);
  options.sweep_interval = milliseconds(1);
  const auto resolver = std::shared_ptr<const Resolver>(&scene_.layers().resolver(), [](auto) {});
  follower_ = std::make_unique<StageFollower>(
      cache_, std::make_unique<PollingChangeSource>(resolver, polling), executor, options);
  const auto a = Session(), b = Session();
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(60);
  for (int x = 2; x < 12; ++x) {
    Put(x);
    auto ended = Session();
    while (X(a) != x || X(b) != x) {
      ASSERT_LT(std::chrono::steady_clock::now(), deadline);
      if (x % 3 == 0) ended.reset();
    }
  }
  // Counted after the snapshot is published.
  while (reopens() < 10) ASSERT_LT(std::chrono::steady_clock::now(), deadline);
  follower_.reset();
}

TEST_F(StageFollowerTest, AnEditDuringAReopenWins) {
  const auto session = Session();
  Pass(milliseconds(100));
  const Snapshot before = session->Newest();
  Put(2);
  const auto after = cache_.Reopen(scene_.context(), session->stage_key(), *before);
  ASSERT_TRUE(after.ok()) << after.status();
  const auto mute = [](StageKey& stage_key) {
    stage_key.options.muted_layers = {"/sub.usda"};
    return absl::OkStatus();
  };
  ASSERT_TRUE(session->Edit(scene_.context(), {}, mute).ok());
  EXPECT_FALSE(session->Replace(before, *after));
  EXPECT_EQ(X(session), 0);
}

// A change whose file cannot be examined when it is reported, such as one on a server that fails.
TEST(StageFollowerOutageTest, AChangeDuringAnOutageIsFoundSecondsAfterItsEnd) {
  TestScene scene;
  const auto memory = std::make_shared<MemoryResolver>();
  const auto faults = std::make_shared<Faults>();
  LayerRegistry registry(std::make_shared<FaultyResolver>(memory, faults), {UsdaFormat()}, {});
  StageEnvironment environment = scene.environment();
  environment.layers = &registry;
  environment.clips = nullptr;
  StageCache cache(environment, {});
  ASSERT_TRUE(memory->Put("/root.usda", "#usda 1.0\ndef \"Old\" {}\n").ok());

  InlineExecutor executor;
  std::map<std::string, int> watched;
  auto owned = std::make_unique<FakeSource>(watched);
  FakeSource& source = *owned;
  FollowOptions options;
  FollowOptions::Clock::time_point now = FollowOptions::Clock::now();
  options.now = [&] { return now; };
  options.start_thread = false;
  StageFollower follower(cache, std::move(owned), executor, options);
  StageKey stage_key;
  stage_key.options.root = "/root.usda";
  stage_key.policy = ChangePolicy::kFollow;
  const auto opened = cache.Open(scene.context(), stage_key);
  ASSERT_TRUE(opened.ok()) << opened.status();
  const auto session =
      std::make_shared<StageSession>(cache, stage_key, "routing", opened->snapshot);
  follower.Follow(session);
  const auto pass = [&](milliseconds time) {
    const auto end = now + time;
    for (auto next = follower.RunDue(); next <= end; next = follower.RunDue()) {
      now = std::max(now + milliseconds(1), next);
    }
    now = std::max(now, end);
  };
  pass(milliseconds(1000));

  ASSERT_TRUE(memory->Put("/root.usda", "#usda 1.0\ndef \"New\" {}\n").ok());
  faults->versions_unavailable = true;
  source.Report({.all = false, .paths = {"/root.usda"}});
  pass(std::chrono::minutes(10));
  EXPECT_EQ(session->Newest(), opened->snapshot);
  EXPECT_GT(follower.GetStats().failures, 100u);
  faults->versions_unavailable = false;
  pass(options.outage_backoff + milliseconds(1));
  EXPECT_TRUE(session->Newest()->stage().FindPrim("/New").valid());
}

}  // namespace
}  // namespace stagedoor::server

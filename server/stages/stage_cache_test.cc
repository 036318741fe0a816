#include "server/stages/stage_cache.h"

#include <algorithm>
#include <future>
#include <map>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "base/executor.h"
#include "base/reservation.h"
#include "base/status.h"
#include "base/strings.h"
#include "gtest/gtest.h"
#include "scene/testing/test_scene.h"
#include "server/error_info.h"
#include "server/stages/stage_session.h"

namespace stagedoor::server {
namespace {

constexpr size_t kPrims = 1000;
constexpr size_t kUnbounded = size_t{1} << 40;

class StageCacheTest : public testing::Test {
 protected:
  StageCacheTest() {
    std::string text;
    for (size_t i = 0; i < kPrims; ++i) {
      text += Concat("def Scope \"P", i, "\" {\n  double x = ", i, "\n}\n");
    }
    scene_.Write("root.usda", text);
    // Parallel composition takes a varying amount of memory.
    scene_.mutable_environment().executor = &inline_;
    // Holds the paths of all stages, so that each stage is charged the same.
    uncharged_ = scene_.Open("root.usda");
  }

  void MakeCache(size_t max_bytes, size_t max_idle = 64) {
    cache_.emplace(scene_.environment(),
                   StageCacheOptions{.max_idle_stages = max_idle, .max_bytes = max_bytes});
  }

  static StageKey Recipe(int session) {
    StageKey stage_key;
    stage_key.options.root = "/root.usda";
    stage_key.session_content =
        Concat("#usda 1.0\nover \"P0\" {\n  double x = -", session, "\n}\n");
    return stage_key;
  }

  std::shared_ptr<const StageSnapshot> Open(int session) {
    RequestContext context;
    const auto opened = cache_->Open(context, Recipe(session));
    EXPECT_TRUE(opened.ok()) << opened.status();
    if (!opened.ok()) return nullptr;
    session_of_[opened->snapshot->fingerprint()] = session;
    return opened->snapshot;
  }
  absl::Status TryOpen(int session) {
    RequestContext context;
    return cache_->Open(context, Recipe(session)).status();
  }
  std::shared_ptr<StageSession> Session(int session) {
    return std::make_shared<StageSession>(*cache_, Recipe(session), "routing", Open(session));
  }
  absl::Status Edit(StageSession& session, int number) {
    RequestContext context;
    return session
        .Edit(context, {},
              [&](StageKey& stage_key) {
                stage_key.session_content = Recipe(number).session_content;
                return absl::OkStatus();
              })
        .status();
  }

  // The sessions whose stages are idle.
  std::vector<int> IdleSessions() {
    std::vector<int> sessions;
    for (const auto& idle : cache_->Idle()) sessions.push_back(session_of_[idle->fingerprint()]);
    std::sort(sessions.begin(), sessions.end());
    return sessions;
  }
  // The memory in use once all dropped stages are destroyed.
  size_t Used() {
    while (cache_->is_destroying()) std::this_thread::yield();
    return cache_->budget().used();
  }
  // The memory that one stage takes.
  size_t BytesOfOne() {
    MakeCache(kUnbounded);
    auto held = Open(1);
    const size_t used = Used();
    held.reset();
    cache_.reset();
    return used;
  }

  TestScene scene_;
  InlineExecutor inline_;
  std::shared_ptr<const Stage> uncharged_;
  std::optional<StageCache> cache_;
  std::map<std::string, int> session_of_;  // by the fingerprint of its snapshot
};

TEST_F(StageCacheTest, OnlyTheFirstOpenIsFresh) {
  MakeCache(kUnbounded);
  RequestContext context;
  const auto first = cache_->Open(context, Recipe(1));
  const auto again = cache_->Open(context, Recipe(1));
  ASSERT_TRUE(first.ok() && again.ok());
  EXPECT_TRUE(first->fresh);
  EXPECT_FALSE(again->fresh);
  EXPECT_EQ(first->snapshot, again->snapshot);
}

TEST_F(StageCacheTest, ChargesHeldStagesOnly) {
  MakeCache(kUnbounded, /*max_idle=*/0);
  auto first = Open(1);
  const size_t one = Used();
  EXPECT_GT(one, kPrims * (sizeof(PrimData) + sizeof(PrimIndex)));
  auto second = Open(2);
  EXPECT_GT(Used(), one + one / 2);
  second.reset();
  cache_->Trim();
  EXPECT_EQ(Used(), one);
  first.reset();
  cache_->Trim();
  EXPECT_EQ(Used(), 0u);
}

TEST_F(StageCacheTest, IdleStagesAreDroppedFirst) {
  const size_t one = BytesOfOne();
  MakeCache(one * 5 / 2);
  for (int session = 1; session <= 8; ++session) {
    Open(session);
    EXPECT_LE(Used(), one * 5 / 2) << session;
  }
  EXPECT_EQ(IdleSessions(), (std::vector<int>{7, 8}));
}

TEST_F(StageCacheTest, TheLeastRecentlyUsedIdleStageIsDroppedFirst) {
  const size_t one = BytesOfOne();
  MakeCache(one * 7 / 2);
  for (const int session : {1, 2, 3, 1, 4}) {
    Open(session);
    EXPECT_LE(Used(), one * 7 / 2);
  }
  EXPECT_EQ(IdleSessions(), (std::vector<int>{1, 3, 4}));
}

TEST_F(StageCacheTest, OnlyTheIdleStagesUsedLastAreKept) {
  MakeCache(kUnbounded, /*max_idle=*/2);
  for (const int session : {1, 2, 3, 2, 4}) Open(session);
  Used();  // while a stage is being destroyed, no others are dropped
  cache_->Trim();
  EXPECT_EQ(IdleSessions(), (std::vector<int>{2, 4}));
}

TEST_F(StageCacheTest, IdleStagesCanBeDropped) {
  const size_t one = BytesOfOne();
  MakeCache(one * 5);
  const auto held = Open(1);
  Open(2);
  Open(3);
  EXPECT_EQ(cache_->Idle().size(), 2u);
  cache_->DropIdle();
  EXPECT_TRUE(cache_->Idle().empty());
  EXPECT_EQ(Open(1), held) << "what is in use stays";
}

TEST_F(StageCacheTest, HeldStagesAreLimited) {
  const size_t one = BytesOfOne();
  MakeCache(one * 5 / 2);
  std::vector<std::shared_ptr<const StageSnapshot>> held = {Open(1), Open(2)};
  const absl::Status refused = TryOpen(3);
  EXPECT_EQ(refused.code(), absl::StatusCode::kResourceExhausted);
  EXPECT_EQ(GetReason(refused), v1::ERROR_REASON_BUDGET_EXHAUSTED);
  EXPECT_TRUE(RetryDelay(refused).has_value());
  EXPECT_LE(Used(), one * 5 / 2) << "the incomplete stage is gone";
  EXPECT_NE(Open(1), nullptr) << "sharing a stage takes no memory";
  held.pop_back();
  EXPECT_TRUE(TryOpen(3).ok()) << "there is room again";
}

TEST_F(StageCacheTest, WhileMemoryIsShortStagesAreOnlyShared) {
  MakeCache(kUnbounded);
  const auto held = Open(1);
  Open(2);
  cache_->budget().SetPressed(true);
  const absl::Status refused = TryOpen(3);
  EXPECT_EQ(refused.code(), absl::StatusCode::kResourceExhausted);
  EXPECT_EQ(GetExhaustedBudget(refused), "memory");
  EXPECT_TRUE(RetryDelay(refused).has_value());
  EXPECT_TRUE(cache_->Idle().empty()) << "idle stages made room";
  EXPECT_EQ(Open(1), held);
  cache_->budget().SetPressed(false);
  EXPECT_TRUE(TryOpen(3).ok());
}

TEST_F(StageCacheTest, DestroyingIdleStagesWaitsForThem) {
  MakeCache(kUnbounded);
  const auto held = Open(1);
  Open(2);
  const size_t before = cache_->budget().used();
  RequestContext context;
  EXPECT_TRUE(cache_->EvictIdle(context).ok());
  EXPECT_FALSE(cache_->is_destroying());
  EXPECT_LT(cache_->budget().used(), before);
  EXPECT_EQ(Open(1), held);
}

TEST_F(StageCacheTest, ClosedStagesAreTrimmed) {
  const size_t one = BytesOfOne();
  MakeCache(one * 4, /*max_idle=*/1);
  auto first = Session(1);
  auto second = Session(2);
  for (int i = 3; i < 6; ++i) ASSERT_TRUE(Edit(*first, i).ok()) << i;
  EXPECT_GT(Used(), 2 * one);
  first.reset();
  second.reset();
  cache_->Trim();
  EXPECT_LE(Used(), one + 100);
  EXPECT_EQ(cache_->history().size(), 0u);
  EXPECT_EQ(cache_->Idle().size(), 1u);
}

// Blocks the destruction of a stage until it may continue, and records the destroying thread.
struct LastWord {
  ~LastWord() {
    if (may_go.valid()) may_go.wait();
    if (thread != nullptr) *thread = std::this_thread::get_id();
  }
  std::future<void> may_go;
  std::thread::id* thread = nullptr;
};

TEST_F(StageCacheTest, DroppingTheLastReferenceDestroysTheStageElsewhere) {
  MakeCache(kUnbounded, /*max_idle=*/0);
  auto held = Open(1);
  std::promise<void> may_go;
  std::thread::id destroyer;
  LastWord& last = held->stage().derived().Get<LastWord>();
  last.may_go = may_go.get_future();
  last.thread = &destroyer;
  held.reset();
  cache_->Trim();
  EXPECT_TRUE(cache_->is_destroying());
  may_go.set_value();
  EXPECT_EQ(Used(), 0u);
  EXPECT_NE(destroyer, std::thread::id());
  EXPECT_NE(destroyer, std::this_thread::get_id());
}

TEST_F(StageCacheTest, WaitingForRoomEndsWithTheCall) {
  const size_t one = BytesOfOne();
  MakeCache(one * 3 / 2);
  std::promise<void> may_go;
  Open(1)->stage().derived().Get<LastWord>().may_go = may_go.get_future();
  {
    RequestContext context;  // owns the discarded results
    std::thread client([&] {
      while (!cache_->is_destroying()) std::this_thread::yield();
      context.Cancel();
    });
    EXPECT_EQ(cache_->Open(context, Recipe(2)).status().code(), absl::StatusCode::kCancelled);
    client.join();
  }
  std::thread reaper([&] { may_go.set_value(); });
  EXPECT_TRUE(TryOpen(2).ok());
  reaper.join();
  EXPECT_LE(Used(), one * 3 / 2);
}

TEST_F(StageCacheTest, ReplacedSnapshotsAreDroppedBeforeEditsAreRejected) {
  const size_t one = BytesOfOne();
  MakeCache(one * 4);
  const auto session = Session(1);
  const std::string first = session->Newest()->fingerprint();
  ASSERT_TRUE(session->Snapshot(first).ok());
  for (int i = 2; i < 40; ++i) {
    ASSERT_TRUE(Edit(*session, i).ok()) << i;
    EXPECT_LE(Used(), one * 4) << i;
  }
  EXPECT_EQ(GetReason(session->Snapshot(first).status()), v1::ERROR_REASON_SNAPSHOT_GONE);
  EXPECT_LE(cache_->history().size(), SnapshotHistory::kMaxPerOwner);
}

TEST_F(StageCacheTest, AnEditReusesUnaffectedParts) {
  MakeCache(kUnbounded);
  const auto session = Session(1);
  const size_t one = Used();
  ASSERT_TRUE(Edit(*session, 2).ok());
  EXPECT_LT(Used(), one * 2 - kPrims * sizeof(PrimIndex)) << "prim indexes are charged once";
}

TEST_F(StageCacheTest, MemosStopGrowingOverTheBudget) {
  MakeCache(1);
  MemoryPool* pool = cache_->budget().pool();
  Reservation elsewhere(pool);
  elsewhere.Add(2);
  StageEnvironment environment = scene_.environment();
  environment.memory = pool;
  const auto stage = Stage::Open(scene_.context(), environment, {.root = "/root.usda"});
  ASSERT_TRUE(stage.ok()) << stage.status();
  const StageSnapshot snapshot(1, "f", *stage, 0);
  for (size_t i = 0; i < kPrims; ++i) {
    ASSERT_TRUE(snapshot.FindAttribute(scene_.context(), Concat("/P", i, ".x")).ok());
  }
  const size_t before = pool->used();
  for (int round = 0; round < 10; ++round) {
    for (size_t i = 0; i < kPrims; ++i) {
      ASSERT_TRUE(snapshot.FindAttribute(scene_.context(), Concat("/P", i, ".x")).ok());
    }
  }
  EXPECT_LT(pool->used(), before + (size_t{1} << 20));
}

TEST_F(StageCacheTest, AStageIsSharedUntilOneOfItsFilesChanges) {
  MakeCache(kUnbounded);
  const auto first = Open(1);
  EXPECT_EQ(Open(1), first);
  EXPECT_NE(Open(2), first) << "another session layer";
  scene_.Write("other.usda", "def \"Q\" {}\n");
  EXPECT_EQ(Open(1), first) << "not a layer of the stage";
  scene_.Write("root.usda", "def \"Q\" {}\n");
  const auto changed = Open(1);
  EXPECT_NE(changed, first);
  EXPECT_TRUE(changed->stage().FindPrim(P("/Q")).valid());
  EXPECT_EQ(Open(1), changed);
  EXPECT_EQ(cache_->Stats().loads, 3);
  const auto check = cache_->CheckFiles(scene_.context(), *first);
  ASSERT_TRUE(check.ok()) << check.status();
  EXPECT_TRUE(check->stale);
  EXPECT_EQ(check->changed_layers, std::vector<std::string>{"/root.usda"});
  EXPECT_FALSE(cache_->CheckFiles(scene_.context(), *changed)->stale);
}

TEST_F(StageCacheTest, FilesAreTrustedForTheCheckInterval) {
  using std::chrono::milliseconds;
  StageCacheOptions::Clock::time_point now{milliseconds(5000)};
  cache_.emplace(scene_.environment(), StageCacheOptions{.max_bytes = kUnbounded,
                                                         .check_interval = milliseconds(100),
                                                         .now = [&] { return now; }});
  const auto first = Open(1);
  scene_.Write("root.usda", "def \"Q\" {}\n");
  now += milliseconds(99);
  EXPECT_EQ(Open(1), first);
  now += milliseconds(1);
  const auto second = Open(1);
  EXPECT_NE(second, first);
  now += milliseconds(100);
  EXPECT_EQ(Open(1), second) << "checked, and unchanged";
  scene_.Write("root.usda", "def \"R\" {}\n");
  now += milliseconds(99);
  EXPECT_EQ(Open(1), second) << "trusted since the check";
  EXPECT_TRUE(cache_->CheckFiles(scene_.context(), *second)->stale);
  EXPECT_NE(Open(1), second) << "known to be stale";
}

TEST_F(StageCacheTest, AFixedStageIsCheckedOnlyIfNobodyHoldsIt) {
  MakeCache(kUnbounded);
  StageKey fixed = Recipe(1);
  fixed.policy = ChangePolicy::kFixed;
  const auto open = [&] { return cache_->Open(scene_.context(), fixed)->snapshot; };
  auto first = open();
  EXPECT_NE(Open(1), first) << "kept apart from stages that are reopened";
  EXPECT_EQ(Open(1)->fingerprint(), first->fingerprint());
  {
    const SessionLease lease(std::make_shared<StageSession>(*cache_, fixed, "routing", first));
    scene_.Write("root.usda", "def \"Q\" {}\n");
    EXPECT_EQ(open(), first);
    EXPECT_TRUE(Open(1)->stage().FindPrim(P("/Q")).valid());
    EXPECT_EQ(open(), first) << "another policy does not replace it";
  }
  const auto second = open();
  EXPECT_TRUE(second->stage().FindPrim(P("/Q")).valid());
}

TEST_F(StageCacheTest, ReopeningReplacesTheSharedStage) {
  MakeCache(kUnbounded);
  const auto first = Open(1);
  scene_.Write("root.usda", "def \"Q\" {}\n");
  const auto second = cache_->Reopen(scene_.context(), Recipe(1), *first);
  ASSERT_TRUE(second.ok()) << second.status();
  EXPECT_TRUE((*second)->stage().FindPrim(P("/Q")).valid());
  EXPECT_EQ(Open(1), *second);
  EXPECT_EQ(*cache_->Reopen(scene_.context(), Recipe(1), *first), *second) << "is done already";
  EXPECT_EQ(cache_->Stats().loads, 2);
  // Opened by a client in the meantime.
  scene_.Write("root.usda", "def \"R\" {}\n");
  const auto third = Open(1);
  EXPECT_EQ(*cache_->Reopen(scene_.context(), Recipe(1), **second), third);
  // A failure leaves it as it was.
  scene_.Remove("root.usda");
  EXPECT_FALSE(cache_->Reopen(scene_.context(), Recipe(1), *third).ok());
  EXPECT_EQ(cache_->Stats().entries, 1u);
}

TEST_F(StageCacheTest, ReopeningTheStageOfAnEditDoesNotShareIt) {
  MakeCache(kUnbounded);
  const auto edited = Open(1);
  const auto other = cache_->OpenEdited(scene_.context(), Recipe(2), *edited);
  ASSERT_TRUE(other.ok()) << other.status();
  scene_.Write("root.usda", "def \"Q\" {}\n");
  const auto reopened = cache_->Reopen(scene_.context(), Recipe(2), **other);
  ASSERT_TRUE(reopened.ok()) << reopened.status();
  EXPECT_NE(Open(2), *reopened);
}

TEST_F(StageCacheTest, ACancelledCheckDoesNotReplaceTheStage) {
  MakeCache(kUnbounded);
  const auto first = Open(1);
  RequestContext context;
  context.Cancel();
  EXPECT_EQ(cache_->Open(context, Recipe(1)).status().code(), absl::StatusCode::kCancelled);
  EXPECT_EQ(Open(1), first);
  EXPECT_EQ(cache_->Stats().loads, 1);
}

// Wherever a request is aborted, no half-composed stage is kept for the next one.
TEST_F(StageCacheTest, NothingIsKeptOfAnAbortedRequest) {
  MakeCache(kUnbounded, /*max_idle=*/0);
  RequestContext unbounded;
  size_t prims = 0;
  {
    const auto whole = cache_->Open(unbounded, Recipe(1));
    ASSERT_TRUE(whole.ok()) << whole.status();
    prims = whole->snapshot->stage().prim_count();
  }
  cache_->Trim();
  for (uint64_t part = 1; part <= 20; ++part) {
    const uint64_t most = unbounded.steps() * part / 21;
    RequestContext context(RequestContext::Clock::time_point::max(), {.max_steps = most});
    const auto ended = cache_->Open(context, Recipe(1));
    EXPECT_EQ(ended.ok(), !context.failed()) << most;
    const auto next = Open(1);
    EXPECT_EQ(next->stage().prim_count(), prims) << most;
    if (ended.ok()) {
      EXPECT_EQ(ended->snapshot, next) << most;
    }
  }
}

TEST_F(StageCacheTest, OneStageCannotExceedTheBudget) {
  const size_t one = BytesOfOne();
  MakeCache(one / 2);
  EXPECT_EQ(GetReason(TryOpen(1)), v1::ERROR_REASON_BUDGET_EXHAUSTED);
  EXPECT_EQ(Used(), 0u);
}

TEST_F(StageCacheTest, AnAbandonedStageFailsEvenIfThereIsRoomAgain) {
  int checks = 0;
  StageEnvironment environment = scene_.environment();
  environment.check_memory = [&checks](RequestContext&) {
    return ++checks == 3 ? ResourceExhaustedError("full, for a moment") : absl::OkStatus();
  };
  RequestContext context;
  const auto stage = Stage::Open(context, environment, {.root = "/root.usda"});
  EXPECT_EQ(stage.status().code(), absl::StatusCode::kResourceExhausted) << checks;
}

TEST_F(StageCacheTest, TheSessionLayerTextOfALeaseIsCharged) {
  MakeCache(kUnbounded);
  StageKey stage_key = Recipe(1);
  stage_key.session_content += std::string(1 << 20, '#');
  const auto opened = cache_->Open(scene_.context(), stage_key);
  ASSERT_TRUE(opened.ok()) << opened.status();
  const size_t before = Used();
  const StageSession session(*cache_, stage_key, "routing", opened->snapshot);
  EXPECT_GE(Used(), before + (1 << 20));
}

}  // namespace
}  // namespace stagedoor::server

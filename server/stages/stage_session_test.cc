#include "server/stages/stage_session.h"

#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "base/status.h"
#include "scene/testing/test_scene.h"
#include "server/error_info.h"

namespace stagedoor::server {
namespace {

using Snapshot = std::shared_ptr<const StageSnapshot>;

class StageSessionTest : public ::testing::Test {
 protected:
  StageSessionTest()
      : cache_(scene_.environment(),
               {.now = [this] { return StageCacheOptions::Clock::now() + later_; }}) {
    scene_.Write("root.usda", "def \"P\" {}\ndef \"Q\" {}\n");
    stage_key_.options.root = "/root.usda";
  }

  std::shared_ptr<StageSession> Session() {
    const auto opened = cache_.Open(scene_.context(), stage_key_);
    EXPECT_TRUE(opened.ok()) << opened.status();
    if (!opened.ok()) return nullptr;
    return std::make_shared<StageSession>(cache_, stage_key_, opened->snapshot, "me");
  }
  // Edits the session to populate only the prim at `path`.
  Snapshot Mask(StageSession& session, const char* path) {
    const auto snapshot = session.Edit(scene_.context(), [&](StageKey& stage_key) {
      stage_key.options.mask = PopulationMask({P(path)});
      return absl::OkStatus();
    });
    EXPECT_TRUE(snapshot.ok()) << snapshot.status();
    return snapshot.ok() ? *snapshot : nullptr;
  }
  static bool Has(const StageSnapshot& snapshot, const char* path) {
    return snapshot.stage().FindPrim(P(path)).valid();
  }

  TestScene scene_;
  std::chrono::seconds later_{0};  // added to the cache's clock
  StageCache cache_;
  StageKey stage_key_;
};

TEST_F(StageSessionTest, StartsOnASharedStage) {
  const auto a = Session(), b = Session();
  EXPECT_EQ(*a->Snapshot(0), *b->Snapshot(0));
  EXPECT_EQ(a->session_count(), 2u);
  EXPECT_EQ(a->client_name(), "me");
  EXPECT_EQ(a->interpolation(), Interpolation::kLinear);
}

TEST_F(StageSessionTest, AnEditCreatesAStageOfItsOwn) {
  const auto a = Session(), b = Session();
  const Snapshot edited = Mask(*a, "/P");
  EXPECT_EQ(*a->Snapshot(0), edited);
  EXPECT_FALSE(Has(*edited, "/Q"));
  EXPECT_TRUE(Has(**b->Snapshot(0), "/Q"));
  EXPECT_EQ(a->session_count(), 1u);
  EXPECT_EQ(b->session_count(), 1u);
  EXPECT_EQ(a->stage_key().options.mask.paths().size(), 1u);
}

TEST_F(StageSessionTest, SnapshotsBeforeAnEditRemainAvailable) {
  const auto session = Session();
  const Snapshot first = *session->Snapshot(0);
  const Snapshot second = Mask(*session, "/P");
  EXPECT_GT(second->number(), first->number());
  EXPECT_EQ(*session->Snapshot(first->number()), first);
  EXPECT_EQ(*session->Snapshot(second->number()), second);
  const absl::Status unknown = session->Snapshot(second->number() + 1).status();
  EXPECT_EQ(unknown.code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_EQ(GetReason(unknown), "SNAPSHOT_GONE");
}

TEST_F(StageSessionTest, KeepsALimitedNumberOfSnapshots) {
  const auto session = Session();
  std::vector<uint64_t> numbers = {(*session->Snapshot(0))->number()};
  for (size_t i = 0; i < SnapshotHistory::kMaxPerOwner + 1; ++i) {
    numbers.push_back(Mask(*session, i % 2 == 0 ? "/P" : "/Q")->number());
  }
  EXPECT_FALSE(session->Snapshot(numbers[0]).ok());
  for (size_t i = 1; i < numbers.size(); ++i) EXPECT_TRUE(session->Snapshot(numbers[i]).ok()) << i;
  EXPECT_EQ(cache_.history().size(), SnapshotHistory::kMaxPerOwner);
}

TEST_F(StageSessionTest, SessionsHaveSeparateHistories) {
  auto a = Session();
  const auto b = Session();
  const uint64_t shared = (*a->Snapshot(0))->number();
  Mask(*a, "/P");
  const uint64_t own = (*a->Snapshot(0))->number();
  Mask(*a, "/Q");
  EXPECT_TRUE(a->Snapshot(own).ok());
  EXPECT_FALSE(b->Snapshot(own).ok());
  Mask(*b, "/Q");
  EXPECT_TRUE(b->Snapshot(shared).ok());
  a.reset();
  EXPECT_EQ(cache_.history().size(), 1u) << "a session's snapshots are dropped with it";
  EXPECT_TRUE(b->Snapshot(shared).ok());
}

TEST_F(StageSessionTest, TheOldestSnapshotOfAllSessionsIsDroppedFirst) {
  const auto a = Session(), b = Session();
  Mask(*a, "/P");
  const uint64_t of_a = (*a->Snapshot(0))->number();
  Mask(*a, "/Q");
  Mask(*b, "/P");
  const uint64_t of_b = (*b->Snapshot(0))->number();
  Mask(*b, "/Q");
  ASSERT_EQ(cache_.history().size(), 4u);
  EXPECT_TRUE(cache_.history().DropOldest());
  EXPECT_TRUE(cache_.history().DropOldest()) << "both started on one snapshot";
  EXPECT_TRUE(a->Snapshot(of_a).ok());
  EXPECT_TRUE(cache_.history().DropOldest());
  EXPECT_FALSE(a->Snapshot(of_a).ok());
  EXPECT_TRUE(b->Snapshot(of_b).ok());
  EXPECT_TRUE(cache_.history().DropOldest());
  EXPECT_FALSE(cache_.history().DropOldest());
}

TEST_F(StageSessionTest, AFailedEditChangesNothing) {
  const auto session = Session();
  const Snapshot before = *session->Snapshot(0);
  const auto refused = session->Edit(scene_.context(), [](StageKey& stage_key) {
    stage_key.options.root = "/other.usda";
    return InvalidArgumentError("no");
  });
  EXPECT_EQ(refused.status().code(), absl::StatusCode::kInvalidArgument);
  const auto missing = session->Edit(scene_.context(), [](StageKey& stage_key) {
    stage_key.options.root = "/missing.usda";
    return absl::OkStatus();
  });
  EXPECT_EQ(missing.status().code(), absl::StatusCode::kNotFound);
  EXPECT_EQ(*session->Snapshot(0), before);
  EXPECT_EQ(session->stage_key().options.root, "/root.usda");
  EXPECT_EQ(cache_.history().size(), 0u);
}

TEST_F(StageSessionTest, AMissingLayerThatAppearsIsSeenByLaterSessions) {
  scene_.Write("root.usda", "def \"R\" (references = @./late.usda@</A>) {}\n");
  const auto before = Session();
  EXPECT_FALSE(Has(**before->Snapshot(0), "/R/Leaf"));
  EXPECT_EQ(*Session()->Snapshot(0), *before->Snapshot(0)) << "as long as it is missing";
  scene_.Write("late.usda", "def \"A\" {\n    def \"Leaf\" {}\n}\n");
  EXPECT_FALSE(Has(**Session()->Snapshot(0), "/R/Leaf"))
      << "missing assets are not rechecked immediately";
  later_ = std::chrono::seconds(3);
  EXPECT_TRUE(Has(**Session()->Snapshot(0), "/R/Leaf"));
  EXPECT_FALSE(Has(**before->Snapshot(0), "/R/Leaf")) << "snapshots do not change";
}

}  // namespace
}  // namespace stagedoor::server

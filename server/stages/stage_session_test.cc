#include "server/stages/stage_session.h"

#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <optional>
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
    return std::make_shared<StageSession>(cache_, stage_key_, "routing", opened->snapshot, "mine");
  }
  // Edits the session to populate only the prim at `path`.
  absl::StatusOr<std::string> TryMask(StageSession& session, const char* path,
                                      const StageSession::Precondition& precondition = {}) {
    return session.Edit(scene_.context(), precondition, [&](StageKey& stage_key) {
      stage_key.options.mask = PopulationMask({P(path)});
      return absl::OkStatus();
    });
  }
  Snapshot Mask(StageSession& session, const char* path) {
    const auto fingerprint = TryMask(session, path);
    EXPECT_TRUE(fingerprint.ok()) << fingerprint.status();
    EXPECT_EQ(*fingerprint, session.Newest()->fingerprint());
    return session.Newest();
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
  EXPECT_EQ(a->Newest(), b->Newest());
  EXPECT_EQ(a->name(), "mine");
  EXPECT_EQ(a->routing_key(), b->routing_key());
  EXPECT_EQ(a->interpolation(), Interpolation::kLinear);
}

TEST_F(StageSessionTest, LeasesFollowTheNewestSnapshot) {
  const auto a = Session(), b = Session();
  const SessionLease first(a), second(a), other(b);
  EXPECT_EQ(a->lease_count(), 3u);
  const Snapshot shared = a->Newest();
  Mask(*a, "/P");
  EXPECT_EQ(a->lease_count(), 2u);
  EXPECT_EQ(b->lease_count(), 1u);
  { SessionLease third(a), moved(std::move(third)); }
  EXPECT_EQ(a->lease_count(), 2u) << "a lease that was moved counts once";
  EXPECT_EQ(shared->holders(), 1u);
}

TEST_F(StageSessionTest, AnEditCreatesAStageOfItsOwn) {
  const auto a = Session(), b = Session();
  const Snapshot edited = Mask(*a, "/P");
  EXPECT_EQ(a->Newest(), edited);
  EXPECT_FALSE(Has(*edited, "/Q"));
  EXPECT_TRUE(Has(*b->Newest(), "/Q"));
  EXPECT_EQ(a->stage_key().options.mask.paths().size(), 1u);
  EXPECT_EQ(a->routing_key(), b->routing_key()) << "calls stay with the daemon of the session";
}

TEST_F(StageSessionTest, SnapshotsBeforeAnEditRemainAvailable) {
  const auto session = Session();
  const Snapshot first = session->Newest();
  const Snapshot second = Mask(*session, "/P");
  EXPECT_NE(second->fingerprint(), first->fingerprint());
  EXPECT_EQ(*session->Snapshot(first->fingerprint()), first);
  EXPECT_EQ(*session->Snapshot(second->fingerprint()), second);
  EXPECT_EQ(*session->Snapshot(""), second);
  const absl::Status unknown = session->Snapshot("0123").status();
  EXPECT_EQ(unknown.code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_EQ(GetReason(unknown), v1::ERROR_REASON_SNAPSHOT_GONE);
}

TEST_F(StageSessionTest, AReplacementIsPublishedUnlessThereWasAnEdit) {
  const auto session = Session();
  const SessionLease lease(session);
  const Snapshot first = session->Newest();
  scene_.Write("root.usda", "def \"P\" {}\ndef \"R\" {}\n");
  const Snapshot second = *cache_.Reopen(scene_.context(), stage_key_, *first);
  EXPECT_TRUE(session->Replace(first, second));
  EXPECT_EQ(session->Newest(), second);
  EXPECT_EQ(second->holders(), 1u);
  EXPECT_EQ(first->holders(), 0u);
  EXPECT_EQ(*session->Snapshot(first->fingerprint()), first) << "for those who pinned it";
  const Snapshot edited = Mask(*session, "/P");
  EXPECT_FALSE(session->Replace(second, first));
  EXPECT_EQ(session->Newest(), edited);
}

TEST_F(StageSessionTest, EditsOfAFixedSessionKeepItsLayers) {
  stage_key_.policy = ChangePolicy::kFixed;
  const auto session = Session();
  EXPECT_EQ(session->policy(), ChangePolicy::kFixed);
  scene_.Write("root.usda", "def \"P\" {}\ndef \"R\" {}\n");
  EXPECT_FALSE(Has(*Mask(*session, "/R"), "/R"));
  const auto current = [](StageKey& stage_key) {
    stage_key.options.kept_layers = nullptr;
    return absl::OkStatus();
  };
  ASSERT_TRUE(session->Edit(scene_.context(), {}, current).ok());
  EXPECT_TRUE(Has(*session->Newest(), "/R"));
  scene_.Write("root.usda", "def \"P\" {}\n");
  EXPECT_TRUE(Has(*Mask(*session, "/R"), "/R")) << "and keep those from then on";
}

TEST_F(StageSessionTest, AnEditMayExpectASnapshot) {
  const auto session = Session();
  const std::string first = session->Newest()->fingerprint();
  const Snapshot second = Mask(*session, "/P");
  const absl::Status conflict = TryMask(*session, "/Q", {.expected_snapshot = first}).status();
  EXPECT_EQ(conflict.code(), absl::StatusCode::kAborted);
  EXPECT_EQ(GetReason(conflict), v1::ERROR_REASON_SNAPSHOT_CONFLICT);
  EXPECT_EQ(session->Newest(), second);
  EXPECT_TRUE(TryMask(*session, "/Q", {.expected_snapshot = second->fingerprint()}).ok());
  EXPECT_NE(session->Newest(), second);
}

TEST_F(StageSessionTest, ARepeatedEditReturnsItsFirstResult) {
  const auto session = Session();
  const std::string first = session->Newest()->fingerprint();
  const StageSession::Precondition precondition{.expected_snapshot = first,
                                                .request = {"request-1", "content"}};
  const auto edited = TryMask(*session, "/P", precondition);
  ASSERT_TRUE(edited.ok()) << edited.status();
  Mask(*session, "/Q");
  const Snapshot newest = session->Newest();
  EXPECT_EQ(*TryMask(*session, "/P", precondition), *edited);
  EXPECT_EQ(session->Newest(), newest) << "it is not carried out again";
  EXPECT_EQ(GetReason(TryMask(*session, "/P", {.request = {"request-1", "other"}}).status()),
            v1::ERROR_REASON_INVALID_FIELD);
}

TEST_F(StageSessionTest, AFailedEditMayBeRepeated) {
  const auto session = Session();
  const StageSession::Precondition precondition{.request = {"request-1", "content"}};
  const auto refused = session->Edit(scene_.context(), precondition,
                                     [](StageKey&) { return InvalidArgumentError("no"); });
  EXPECT_FALSE(refused.ok());
  const auto repeated = TryMask(*session, "/P", precondition);
  ASSERT_TRUE(repeated.ok()) << repeated.status();
  EXPECT_EQ(*repeated, session->Newest()->fingerprint());
  EXPECT_FALSE(Has(*session->Newest(), "/Q"));
}

TEST_F(StageSessionTest, KeepsALimitedNumberOfSnapshots) {
  const auto session = Session();
  std::vector<std::string> fingerprints = {session->Newest()->fingerprint()};
  for (size_t i = 0; i < SnapshotHistory::kMaxPerOwner + 1; ++i) {
    scene_.Write("root.usda", Concat("def \"P\" {}\ndef \"Q", i, "\" {}\n"));
    fingerprints.push_back(Mask(*session, "/P")->fingerprint());
  }
  EXPECT_FALSE(session->Snapshot(fingerprints[0]).ok());
  for (size_t i = 1; i < fingerprints.size(); ++i) {
    EXPECT_TRUE(session->Snapshot(fingerprints[i]).ok()) << i;
  }
  EXPECT_EQ(cache_.history().size(), SnapshotHistory::kMaxPerOwner);
}

TEST_F(StageSessionTest, SessionsHaveSeparateHistories) {
  auto a = Session();
  const auto b = Session();
  const std::string shared = a->Newest()->fingerprint();
  Mask(*a, "/P");
  const std::string own = a->Newest()->fingerprint();
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
  const std::string of_a = a->Newest()->fingerprint();
  Mask(*a, "/Q");
  Mask(*b, "/P");
  const std::string of_b = b->Newest()->fingerprint();
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
  const Snapshot before = session->Newest();
  const auto refused = session->Edit(scene_.context(), {}, [](StageKey& stage_key) {
    stage_key.options.root = "/other.usda";
    return InvalidArgumentError("no");
  });
  EXPECT_EQ(refused.status().code(), absl::StatusCode::kInvalidArgument);
  const auto missing = session->Edit(scene_.context(), {}, [](StageKey& stage_key) {
    stage_key.options.root = "/missing.usda";
    return absl::OkStatus();
  });
  EXPECT_EQ(missing.status().code(), absl::StatusCode::kNotFound);
  EXPECT_EQ(session->Newest(), before);
  EXPECT_EQ(session->stage_key().options.root, "/root.usda");
  EXPECT_EQ(cache_.history().size(), 0u);
}

// Another replica may have edited the session, but none has.
class IdleRecorder final : public SessionRecorder {
 public:
  explicit IdleRecorder(bool records) : records_(records) {}
  absl::StatusOr<bool> StoreIfMissing(RequestContext&, const Outcome&) override { return false; }
  absl::StatusOr<bool> Record(RequestContext&, const Outcome&) override { return records_; }
  absl::StatusOr<std::optional<Outcome>> FindNewer(RequestContext&, const Outcome&) override {
    return std::nullopt;
  }

 private:
  const bool records_;
};

TEST_F(StageSessionTest, AnEditIsOnlyRepeatedOnANewerSnapshot) {
  const auto session = Session();
  session->SetRecorder(std::make_unique<IdleRecorder>(/*records=*/true));
  int tried = 0;
  const auto failed = session->Edit(scene_.context(), {}, [&tried](StageKey&) {
    return ++tried == 1 ? InvalidArgumentError("no") : absl::OkStatus();
  });
  EXPECT_EQ(failed.status(), InvalidArgumentError("no"));
  session->SetRecorder(std::make_unique<IdleRecorder>(/*records=*/false));
  EXPECT_EQ(TryMask(*session, "/P").status().code(), absl::StatusCode::kAborted);
}

TEST_F(StageSessionTest, AMissingLayerThatAppearsIsSeenByLaterSessions) {
  scene_.Write("root.usda", "def \"R\" (references = @./late.usda@</A>) {}\n");
  const auto before = Session();
  EXPECT_FALSE(Has(*before->Newest(), "/R/Leaf"));
  EXPECT_EQ(Session()->Newest(), before->Newest()) << "as long as it is missing";
  scene_.Write("late.usda", "def \"A\" {\n    def \"Leaf\" {}\n}\n");
  EXPECT_FALSE(Has(*Session()->Newest(), "/R/Leaf"))
      << "missing assets are not rechecked immediately";
  later_ = std::chrono::seconds(3);
  EXPECT_TRUE(Has(*Session()->Newest(), "/R/Leaf"));
  EXPECT_FALSE(Has(*before->Newest(), "/R/Leaf")) << "snapshots do not change";
}

}  // namespace
}  // namespace stagedoor::server

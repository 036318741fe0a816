// Several replicas share sessions: what one has granted or edited, the others can serve after its
// death, or beside it.
#include "server/testing/replicas_test.h"

#include <gtest/gtest.h>

#include <atomic>
#include <ctime>
#include <random>
#include <string>
#include <thread>
#include <vector>

namespace stagedoor::server {
namespace {

class SharedSessionsTest : public ReplicasTest {
 protected:
  void SetUp() override {
    Write("root.usda", R"(
def "P" (payload = @./heavy.usda@</H>) {
    double a = 0
    double b = 0
}
over "Q" (
    variants = {
        string look = "red"
    }
    prepend variantSets = "look"
)
{
    variantSet "look" = {
        "red" {
            double c = 1
        }
        "blue" {
            double c = 2
        }
    }
}
)");
    Write("heavy.usda", "def \"H\" {\n double h = 7\n}\n");
  }

  static std::string Reason(const absl::Status& status) { return ErrorReason(status); }
};

TEST_F(SharedSessionsTest, AHandleOutlivesTheReplicaThatGrantedIt) {
  const Opened opened = Open(0);
  At(1);
  Kill(0);
  const Read read = Get(1, opened.stage);
  ASSERT_TRUE(read.status.ok()) << read.status;
  EXPECT_EQ(read.number, 0);
  EXPECT_EQ(read.snapshot, opened.snapshot);
}

TEST_F(SharedSessionsTest, UnknownHandlesStayUnknown) {
  At(1);
  v1::StageRef stage;
  for (const std::string handle : {"stage-00112233445566778899aabbccddeeff", "stage-0", ""}) {
    stage.set_handle(handle);
    EXPECT_EQ(Reason(Get(1, stage).status), "STAGE_NOT_FOUND") << handle;
  }
}

TEST_F(SharedSessionsTest, EditsOfAllKindsAreRestored) {
  const Opened opened = Open(0);
  v1::EditStageRequest request = Setting(opened.stage, 0.1);
  v1::Edit::SetValue* const sample = request.add_edits()->mutable_set_value();
  sample->set_path("/P.b");
  sample->mutable_time()->set_numeric(12);
  sample->mutable_value()->set_double_value(1e-310);
  v1::Edit::DefinePrim* const define = request.add_edits()->mutable_define_prim();
  define->set_path("/New/Ball");
  define->set_type_name("Sphere");
  auto* const select = request.add_edits()->mutable_select_variant();
  select->set_path("/Q");
  select->set_variant_set("look");
  select->set_variant("blue");
  ASSERT_TRUE(client(0).EditStage(request).ok());
  v1::UnloadPrimsRequest unload;
  *unload.mutable_stage() = opened.stage;
  unload.add_paths("/P");
  const auto unloaded = client(0).UnloadPrims(unload);
  ASSERT_TRUE(unloaded.ok()) << unloaded.status();
  const std::string layer = SessionLayer(0, opened.stage);
  At(1);
  Kill(0);
  const Read read = Get(1, opened.stage);
  EXPECT_EQ(read.number, 0.1);
  EXPECT_EQ(read.snapshot, unloaded->snapshot());
  EXPECT_EQ(SessionLayer(1, opened.stage), layer);
  EXPECT_EQ(Get(1, opened.stage, "", "/Q.c").number, 2);
  EXPECT_EQ(Reason(Get(1, opened.stage, "", "/P.h").status), "");  // items fail, not calls
  EXPECT_EQ(Get(1, opened.stage, "", "/P.h").number, -2);
  // And it can be edited there.
  const std::string next = Set(1, opened.stage, 5);
  EXPECT_NE(next, unloaded->snapshot());
  EXPECT_EQ(Get(1, opened.stage).number, 5);
}

TEST_F(SharedSessionsTest, TheSameEditsHaveTheSameFingerprintsEverywhere) {
  const Opened opened = OpenNamed(0, "shot");
  const std::string first = Set(0, opened.stage, 1);
  Kill(0);
  const std::string second = Set(1, opened.stage, 2);
  // A replica that makes both edits itself.
  const Opened other = OpenNamed(2, "other");
  EXPECT_EQ(other.snapshot, opened.snapshot);
  EXPECT_EQ(Set(2, other.stage, 1), first);
  EXPECT_EQ(Set(2, other.stage, 2), second);
}

TEST_F(SharedSessionsTest, PinsOutliveTheReplica) {
  const Opened opened = Open(0);
  const std::string first = Set(0, opened.stage, 1);
  const std::string second = Set(0, opened.stage, 2);
  Kill(0);
  EXPECT_EQ(Get(1, opened.stage, first).number, 1);
  EXPECT_EQ(Get(1, opened.stage, opened.snapshot).number, 0);
  EXPECT_EQ(Get(1, opened.stage, second).number, 2);
  EXPECT_EQ(Get(1, opened.stage).number, 2);
  EXPECT_EQ(Reason(Get(1, opened.stage, "00112233445566778899aabbccddeeff").status),
            "SNAPSHOT_GONE");
}

TEST_F(SharedSessionsTest, TwoReplicasServeOneSession) {
  const Opened opened = Open(0);
  EXPECT_EQ(Get(1, opened.stage).number, 0);  // both have it now
  const std::string first = Set(0, opened.stage, 1);
  EXPECT_EQ(Get(1, opened.stage, first).number, 1);  // even if the news has not arrived
  const std::string second = Set(1, opened.stage, 2);
  EXPECT_EQ(Get(0, opened.stage, second).number, 2);
  // An edit that expects what only the other replica knew.
  const auto third = client(0).EditStage(Setting(opened.stage, 3, second));
  ASSERT_TRUE(third.ok()) << third.status();
  const auto late = client(1).EditStage(Setting(opened.stage, 4, second));
  EXPECT_EQ(Reason(late.status()), "SNAPSHOT_CONFLICT");
  EXPECT_EQ(Get(1, opened.stage).number, 3);
  EXPECT_EQ(Get(1, opened.stage).snapshot, third->snapshot());
}

TEST_F(SharedSessionsTest, NewsArriveWithoutBeingAskedFor) {
  const Opened opened = Open(0);
  EXPECT_EQ(Get(1, opened.stage).number, 0);
  Set(0, opened.stage, 1);
  Await([&] { return Get(1, opened.stage).number == 1; });
}

TEST_F(SharedSessionsTest, AWatchSeesEditsOfOtherReplicas) {
  const Opened opened = Open(0);
  Set(0, opened.stage, 1);  // the first edit adds the session layer, which may change everything
  v1::WatchStageRequest watch;
  *watch.mutable_stage() = opened.stage;
  std::vector<std::string> changed;
  std::atomic<bool> watching{false};
  std::thread editor([&] {
    Await([&] { return watching.load(); });
    Set(0, opened.stage, 2);
  });
  const absl::Status status =
      client(1).WatchStage(watch, [&](const v1::WatchStageResponse& message) {
        watching = true;
        EXPECT_EQ(message.resynced_paths_size(), 0) << message.DebugString();
        if (message.changed_infos().empty()) return absl::OkStatus();
        for (const v1::ChangedInfo& info : message.changed_infos()) changed.push_back(info.path());
        return absl::CancelledError("seen");
      });
  editor.join();
  EXPECT_EQ(status.code(), absl::StatusCode::kCancelled) << status;
  EXPECT_EQ(changed, (std::vector<std::string>{"/P.a", "/P.b"}));
}

TEST_F(SharedSessionsTest, AWatchGoesOnAtAnotherReplica) {
  const Opened opened = Open(0);
  const std::string first = Set(0, opened.stage, 1);
  Set(0, opened.stage, 2);
  Kill(0);
  v1::WatchStageRequest watch;
  *watch.mutable_stage() = opened.stage;
  watch.mutable_stage()->set_snapshot(first);
  v1::WatchStageResponse seen;
  const absl::Status status =
      client(1).WatchStage(watch, [&](const v1::WatchStageResponse& message) {
        seen = message;
        return absl::CancelledError("seen");
      });
  EXPECT_EQ(status.code(), absl::StatusCode::kCancelled) << status;
  EXPECT_EQ(seen.resynced_paths_size(), 0) << seen.DebugString();
  EXPECT_EQ(seen.changed_infos_size(), 2) << seen.DebugString();
}

TEST_F(SharedSessionsTest, ARepeatedEditIsNotMadeTwice) {
  const Opened opened = Open(0);
  v1::EditStageRequest request = Setting(opened.stage, 1);
  request.set_request_id("0123456789abcdef");
  const auto first = client(0).EditStage(request);
  ASSERT_TRUE(first.ok()) << first.status();
  const std::string second = Set(0, opened.stage, 2);
  Kill(0);
  const auto repeated = client(1).EditStage(request);
  ASSERT_TRUE(repeated.ok()) << repeated.status();
  EXPECT_EQ(repeated->snapshot(), first->snapshot());
  EXPECT_EQ(Get(1, opened.stage).snapshot, second);
}

TEST_F(SharedSessionsTest, ANamedSessionIsJoinedThroughAnyReplica) {
  const Opened first = OpenNamed(0, "shot");
  const std::string edited = Set(0, first.stage, 1);
  const Opened second = OpenNamed(1, "shot");
  EXPECT_EQ(second.snapshot, edited);
  v1::OpenStageRequest other;
  other.set_session("shot");
  other.set_interpolation(v1::INTERPOLATION_HELD);
  other.set_root_layer("/root.usda");
  EXPECT_EQ(Reason(client(2).OpenStage(other).status()), "SESSION_CONFLICT");
}

TEST_F(SharedSessionsTest, ASessionEndsWithItsLastLease) {
  const Opened opened = Open(0);
  const Opened first = OpenNamed(0, "shot");
  const Opened second = OpenNamed(1, "shot");
  const std::string edited = Set(0, first.stage, 1);
  const auto close = [&](size_t number, const v1::StageRef& stage) {
    v1::CloseStageRequest request;
    request.set_handle(stage.handle());
    return client(number).CloseStage(request).status();
  };
  EXPECT_TRUE(close(0, first.stage).ok());
  const Opened third = OpenNamed(2, "shot");
  EXPECT_EQ(third.snapshot, edited);
  EXPECT_EQ(Get(1, second.stage, edited).number, 1);
  Kill(2);
  Kill(1);
  EXPECT_TRUE(close(0, second.stage).ok());  // unknown here, but not in the store
  EXPECT_EQ(Reason(close(0, second.stage)), "STAGE_NOT_FOUND");
  EXPECT_EQ(Reason(Get(0, second.stage).status), "STAGE_NOT_FOUND");
  EXPECT_EQ(Get(0, third.stage).number, 1);
  EXPECT_TRUE(close(0, third.stage).ok());
  EXPECT_EQ(OpenNamed(3, "shot").snapshot, opened.snapshot);  // a new one
}

TEST_F(SharedSessionsTest, ARenewedLeaseIsKnownElsewhere) {
  v1::OpenStageRequest request;
  request.mutable_lease_ttl()->set_seconds(60);
  const Opened opened = Open(0, request);
  v1::RenewLeaseRequest renew;
  renew.set_handle(opened.stage.handle());
  renew.mutable_lease_ttl()->set_seconds(3000);
  ASSERT_TRUE(client(0).RenewLease(renew).ok());
  Kill(0);
  v1::GetStageRequest get;
  *get.mutable_stage() = opened.stage;
  const auto got = client(1).GetStage(get);
  ASSERT_TRUE(got.ok()) << got.status();
  EXPECT_GT(got->lease_expire_time().seconds(), std::time(nullptr) + 1000);
  const auto renewed = client(1).RenewLease(renew);
  EXPECT_TRUE(renewed.ok()) << renewed.status();
}

TEST_F(SharedSessionsTest, FixedSessionsAreRestoredUnlessTheirFilesHaveChanged) {
  v1::OpenStageRequest request;
  request.set_change_policy(v1::CHANGE_POLICY_FIXED);
  const Opened fixed = Open(0, request);
  const Opened free = Open(0);
  EXPECT_EQ(Get(1, fixed.stage).snapshot, fixed.snapshot);
  Write("root.usda", "def \"P\" {\n double a = 10\n double b = 0\n}\n");
  EXPECT_EQ(Get(1, fixed.stage).number, 0);  // it had them open
  const std::string edited = Set(0, fixed.stage, 3);
  EXPECT_EQ(Get(1, fixed.stage, edited).number, 3);
  EXPECT_EQ(Reason(Get(2, fixed.stage).status), "SNAPSHOT_GONE");
  EXPECT_EQ(Get(2, free.stage).number, 10);  // as when it is opened again
}

TEST_F(SharedSessionsTest, ReadsGoOnWithoutTheStore) {
  const Opened opened = Open(0);
  const std::string edited = Set(0, opened.stage, 1);
  At(1);
  store().SetReachable(false);
  EXPECT_EQ(Get(0, opened.stage).number, 1);
  EXPECT_EQ(Get(0, opened.stage, edited).number, 1);
  EXPECT_EQ(Reason(Get(1, opened.stage).status), "STORE_UNAVAILABLE");
  EXPECT_EQ(Reason(client(0).EditStage(Setting(opened.stage, 2)).status()), "STORE_UNAVAILABLE");
  EXPECT_EQ(Get(0, opened.stage).number, 1);
  const Opened later = Open(0);  // shared once the store is there
  v1::OpenStageRequest named;
  named.set_root_layer("/root.usda");
  named.set_session("shot");
  EXPECT_EQ(Reason(client(0).OpenStage(named).status()), "STORE_UNAVAILABLE");
  store().SetReachable(true);
  EXPECT_EQ(Get(1, opened.stage).snapshot, edited);
  Set(0, opened.stage, 2);
  Await([&] { return Get(1, later.stage).status.ok(); });
}

TEST_F(SharedSessionsTest, WhatTheStoreHasLostIsStoredAgain) {
  const Opened opened = Open(0);
  Set(0, opened.stage, 1);
  const std::string edited = Set(0, opened.stage, 2);
  store().SetReachable(false);
  store().LoseRecords();
  store().SetReachable(true);
  Await([&] { return Get(1, opened.stage).status.ok(); });
  EXPECT_EQ(Get(1, opened.stage).snapshot, edited);
  const std::string next = Set(1, opened.stage, 3);
  EXPECT_EQ(Get(0, opened.stage, next).number, 3);
}

TEST_F(SharedSessionsTest, AnEditAfterALossIsNotRefused) {
  const Opened opened = Open(0);
  Set(0, opened.stage, 1);
  store().LoseRecords();  // unnoticed
  Set(0, opened.stage, 2);
  Await([&] { return Get(1, opened.stage).status.ok() || (store().SetReachable(true), false); });
  EXPECT_EQ(Get(1, opened.stage).number, 2);
}

// Clients edit sessions through random replicas: nobody sees half an edit, and none is lost.
TEST_F(SharedSessionsTest, EditsThroughManyReplicasHaveOneOrder) {
  constexpr size_t kReplicas = 3;
  constexpr int kSessions = 4, kClients = 6, kEdits = 30;
  At(kReplicas - 1);
  std::vector<std::atomic<int>> made(kSessions);
  std::vector<v1::StageRef> stages;
  for (int i = 0; i < kSessions; ++i) stages.push_back(Open(0).stage);
  std::vector<std::thread> threads;
  for (int number = 0; number < kClients; ++number) {
    threads.emplace_back([&, number] {
      std::minstd_rand random(static_cast<unsigned>(number) + 1);
      for (int done = 0; done < kEdits;) {
        const size_t i = random() % kSessions, replica = random() % kReplicas;
        const Read read = Get(replica, stages[i]);
        ASSERT_TRUE(read.status.ok()) << read.status;
        EXPECT_EQ(Get(replica, stages[i], read.snapshot, "/P.b").number, read.number);
        const auto reply = client(random() % kReplicas)
                               .EditStage(Setting(stages[i], read.number + 1, read.snapshot));
        if (!reply.ok()) {
          ASSERT_EQ(Reason(reply.status()), "SNAPSHOT_CONFLICT") << reply.status();
          continue;
        }
        ++made[i];
        ++done;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (size_t i = 0; i < kSessions; ++i) {
    for (size_t replica = 0; replica < kReplicas; ++replica) {
      Await([&] { return Get(replica, stages[i]).number == made[i]; });
    }
    const std::string last = Get(0, stages[i]).snapshot;
    EXPECT_TRUE(client(1).EditStage(Setting(stages[i], 0, last)).ok()) << "an edit of " << i;
  }
}

}  // namespace
}  // namespace stagedoor::server

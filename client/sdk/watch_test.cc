// Watches across lost connections, leases and daemons. tests/sdk watches a real daemon.
#include "client/sdk/watch.h"

#include <gtest/gtest.h>

#include <atomic>
#include <future>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "client/cc/error_reason.h"
#include "client/sdk/stage.h"
#include "client/sdk/testing/fake_daemon.h"

namespace stagedoor::sdk {
namespace {

using Strings = std::vector<std::string>;

v1::WatchStageResponse Message(const std::string& previous, const std::string& snapshot,
                               const Strings& resynced = {}) {
  v1::WatchStageResponse message;
  message.set_previous_snapshot(previous);
  message.set_snapshot(snapshot);
  message.mutable_resynced_paths()->Add(resynced.begin(), resynced.end());
  return message;
}

const grpc::Status kUnavailable(grpc::StatusCode::UNAVAILABLE, "");
const grpc::Status kForbidden(grpc::StatusCode::PERMISSION_DENIED, "no");
const grpc::Status kLostLease = Refusal(grpc::StatusCode::FAILED_PRECONDITION, "LEASE_EXPIRED");

class WatchTest : public FakeDaemonTest {
 protected:
  // The paths that the next changes have resynced.
  static Strings Resynced(Watch& watch) { return watch.Next().value().value().resynced_paths; }
};

TEST(StageChanges, SayWhatTheyAffect) {
  StageChanges changes;
  changes.resynced_paths = {"/A", "/B.x"};
  changes.changed_info["/C"] = {"kind"};
  for (const char* path : {"/A", "/A/Child", "/A.x", "/B.x", "/C"}) {
    EXPECT_TRUE(changes.Affects(path)) << path;
  }
  for (const char* path : {"/", "/AB", "/B", "/B.xy", "/C.x", "/C/D"}) {
    EXPECT_FALSE(changes.Affects(path)) << path;
  }
  changes.resynced_paths = {"/"};
  EXPECT_TRUE(changes.Affects("/D.x"));
}

TEST_F(WatchTest, ContinuesWhereItWasAfterLostConnections) {
  const Stage stage = Open();
  const std::string opened = stage.snapshot();
  v1::WatchStageResponse info = Message("s2", "s4");
  info.add_changed_infos()->set_path("/B.x");
  info.mutable_changed_infos(0)->add_fields("default");
  first_.Script({{{Message(opened, opened), Message(opened, "s2", {"/A"})}, kUnavailable},
                 {{info}, grpc::Status(grpc::StatusCode::DEADLINE_EXCEEDED, "")},
                 {{Message("s4", "s4")}, grpc::Status::OK},
                 {{Message("s4", "s4")}, kForbidden}});
  Watch watch =
      stage.Watch({.paths = {"/A", "/B"}, .min_interval = std::chrono::milliseconds(1500)});

  const StageChanges changes = watch.Next().value().value();
  EXPECT_EQ(changes.previous_snapshot, opened);
  EXPECT_EQ(changes.snapshot, "s2");
  EXPECT_EQ(changes.resynced_paths, Strings{"/A"});
  EXPECT_TRUE(changes.changed_info.empty());
  EXPECT_EQ(watch.Next().value().value().changed_info.at("/B.x"), Strings{"default"});
  EXPECT_EQ(watch.Next().status().code(), absl::StatusCode::kPermissionDenied);
  EXPECT_EQ(watch.Next().status().code(), absl::StatusCode::kPermissionDenied) << "from then on";

  const std::vector<v1::WatchStageRequest> asked = first_.watched();
  ASSERT_EQ(asked.size(), 4u);
  EXPECT_EQ(asked[0].stage().snapshot(), opened);
  EXPECT_EQ(asked[1].stage().snapshot(), "s2");
  EXPECT_EQ(asked[2].stage().snapshot(), "s4");
  EXPECT_EQ(asked[3].stage().snapshot(), "s4");
  EXPECT_EQ(asked[0].paths_size(), 2);
  EXPECT_EQ(asked[0].min_interval().seconds(), 1);
  EXPECT_EQ(asked[0].min_interval().nanos(), 500'000'000);
  EXPECT_EQ(stage.snapshot(), "s4");
  EXPECT_EQ(first_.opened().size(), 1u) << "the stage was not lost";
}

TEST_F(WatchTest, AFirstMessageWithoutAPreviousSnapshotReportsNothing) {
  const Stage stage = Open();
  first_.Script({{{Message("", "s2", {"/A"}), Message("s2", "s3", {"/B"})}, kForbidden}});
  Watch watch = stage.Watch();
  EXPECT_EQ(Resynced(watch), Strings{"/B"});
}

TEST_F(WatchTest, AStageThatIsLostIsOpenedAgain) {
  const Stage stage = Open();
  first_.Script({{{Message("s1", "s2", {"/A"})}, kLostLease, /*forget=*/true},
                 {{Message("s2", "s3", {"/"})}, kForbidden}});
  Watch watch = stage.Watch();
  EXPECT_EQ(Resynced(watch), Strings{"/A"});
  EXPECT_EQ(Resynced(watch), Strings{"/"});
  EXPECT_EQ(first_.opened().size(), 2u);
  EXPECT_EQ(first_.watched().back().stage().snapshot(), "s2");
}

TEST_F(WatchTest, AnEditedSessionWithANameIsNotOpenedAgain) {
  const Stage stage = Open({.session = "shared"});
  ASSERT_TRUE(stage.SetSessionLayer("#usda 1.0\n").ok());
  first_.Forget();
  Watch watch = stage.Watch();
  EXPECT_EQ(ErrorReason(watch.Next().status()), "LEASE_EXPIRED");
}

TEST_F(WatchTest, TurnsToADaemonThatCanBeReached) {
  const Stage stage = Open();
  first_.unreachable = true;
  second_.Script({{{Message("s1", "s2", {"/A"})}, kForbidden}});
  Watch watch = stage.Watch();
  EXPECT_EQ(Resynced(watch), Strings{"/A"});
}

TEST_F(WatchTest, ContinuesAfterAPauseIfACallBroughtNothing) {
  const Stage stage = Open();
  const grpc::Status refused = Refusal(grpc::StatusCode::UNAVAILABLE, "STOPPING");
  first_.Script({{{}, refused}, {{Message("s1", "s2", {"/A"})}, kForbidden}});
  Watch watch = stage.Watch();
  EXPECT_EQ(Resynced(watch), Strings{"/A"});
}

TEST_F(WatchTest, StopEndsAWait) {
  const Stage stage = Open();
  Watch watch = stage.Watch();
  EXPECT_EQ(watch.Next(std::chrono::milliseconds(1)).status().code(),
            absl::StatusCode::kDeadlineExceeded);
  auto waiting = std::async(std::launch::async, [&] { return watch.Next(); });
  watch.Stop();
  EXPECT_EQ(waiting.get().value(), std::nullopt);
  EXPECT_EQ(watch.Next().value(), std::nullopt);
  Watch moved = std::move(watch);
  EXPECT_EQ(moved.Next().value(), std::nullopt);
}

TEST_F(WatchTest, ClosingTheStageEndsIt) {
  Stage stage = Open();
  Watch watch = stage.Watch();
  ASSERT_TRUE(stage.Close().ok());
  EXPECT_EQ(watch.Next().value(), std::nullopt);
}

TEST_F(WatchTest, KeepsItsStageOpen) {
  std::optional<Watch> watch = Open().Watch();
  EXPECT_EQ(first_.closed(), 0);
  watch.reset();
  connection_.reset();  // waits for calls in flight
  EXPECT_EQ(first_.closed(), 1);
}

TEST_F(WatchTest, CallsAFunctionForEachChange) {
  const Stage stage = Open();
  first_.Script({{{Message("s1", "s2", {"/A"}), Message("s2", "s3", {"/B"})}, kForbidden}});
  Strings seen;  // of the thread of the subscription, until Stop
  std::promise<void> both;
  ChangeSubscription subscription =
      stage.OnChange({.paths = {"/World"}}, [&](const StageChanges& changes) {
        seen.push_back(changes.resynced_paths[0]);
        if (seen.size() == 2) both.set_value();
      });
  both.get_future().wait();
  while (subscription.active()) std::this_thread::yield();
  EXPECT_EQ(subscription.Stop().code(), absl::StatusCode::kPermissionDenied);
  EXPECT_EQ(seen, (Strings{"/A", "/B"}));
  EXPECT_EQ(first_.watched()[0].paths(0), "/World");
}

TEST_F(WatchTest, StopWaitsForTheFunction) {
  const Stage stage = Open();
  first_.Script({{{Message("s1", "s2", {"/A"})}, kUnavailable}});
  std::promise<void> called;
  bool finished = false;
  ChangeSubscription subscription = stage.OnChange({}, [&](const StageChanges&) {
    called.set_value();
    EXPECT_EQ(*Read(stage), 0.5) << "it may use the stage";
    finished = true;
  });
  called.get_future().wait();
  EXPECT_TRUE(subscription.Stop().ok());
  EXPECT_TRUE(finished);
  EXPECT_FALSE(subscription.active());
}

TEST_F(WatchTest, AFunctionMayDestroyItsSubscription) {
  std::optional<Stage> stage = Open();
  first_.Script({{{Message("s1", "s2", {"/A"}), Message("s2", "s3", {"/B"})}, kUnavailable}});
  std::optional<ChangeSubscription> subscription;
  std::promise<void> started;
  std::atomic<int> calls = 0;
  subscription.emplace(stage->OnChange({}, [&, ready = started.get_future().share()](auto&) {
    ready.wait();
    subscription.reset();
    ++calls;
  }));
  stage.reset();
  started.set_value();
  first_.AwaitClose();  // when the thread of the subscription ends
  EXPECT_EQ(calls, 1);
}

}  // namespace
}  // namespace stagedoor::sdk

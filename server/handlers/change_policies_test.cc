// Tests what clients see of changed assets, by the change policy of their session.
#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <future>
#include <memory>
#include <string>
#include <vector>

#include "base/testing/temp_dir.h"
#include "server/error_info.h"
#include "server/handlers/stage_handlers.h"
#include "server/testing/gated_resolver.h"
#include "server/testing/server_test.h"

namespace stagedoor::server {
namespace {

using std::chrono::milliseconds;

constexpr auto kLimit = std::chrono::seconds(60);  // far longer than anything takes

class ChangePoliciesTest : public ServerTest {
 protected:
  ChangePoliciesTest() {
    options_.follow_poll = milliseconds(10);
    Write("root.usda", "(\n  subLayers = [@./sub.usda@]\n)\ndef \"P\" {}\n");
    Put(1);
  }

  void Put(int x) { Write("sub.usda", Concat("over \"P\" { double x = ", x, "; }\n")); }
  v1::StageRef OpenWith(v1::ChangePolicy policy, const std::string& root = "/root.usda") {
    v1::OpenStageRequest request;
    request.set_root_layer(root);
    request.set_change_policy(policy);
    return Open(request);
  }
  double X(const v1::StageRef& stage) {
    const std::vector<double> numbers = Numbers(stage, "/P.x", {1});
    return numbers.empty() ? -1 : numbers.front();
  }
  std::string SnapshotOf(const v1::StageRef& stage) {
    v1::GetStageRequest request;
    *request.mutable_stage() = stage;
    const auto reply = client().GetStage(request);
    EXPECT_TRUE(reply.ok()) << reply.status();
    return reply.ok() ? reply->stage().snapshot() : "";
  }
  v1::FollowStatistics Statistics() {
    const auto reply = client().GetServerStatistics({});
    EXPECT_TRUE(reply.ok()) << reply.status();
    return reply.ok() ? reply->follow() : v1::FollowStatistics();
  }
  // Asks the server until the condition holds. False if it takes too long.
  template <typename Condition>
  static bool Eventually(const Condition& condition) {
    const auto deadline = std::chrono::steady_clock::now() + kLimit;
    while (!condition()) {
      if (std::chrono::steady_clock::now() > deadline) return false;
    }
    return true;
  }

  ServerOptions options_;
};

TEST_F(ChangePoliciesTest, OnOpenIsTheDefault) {
  Start(options_);
  const auto first = OpenWith(v1::CHANGE_POLICY_UNSPECIFIED);
  Put(2);
  const auto second = OpenWith(v1::CHANGE_POLICY_ON_OPEN);
  EXPECT_EQ(X(first), 1);
  EXPECT_EQ(X(second), 2);
}

TEST_F(ChangePoliciesTest, AFixedStageKeepsItsVersionsAsLongAsItIsHeld) {
  Start(options_);
  const auto first = OpenWith(v1::CHANGE_POLICY_FIXED);
  Put(2);
  const auto joined = OpenWith(v1::CHANGE_POLICY_FIXED);
  const auto other = OpenWith(v1::CHANGE_POLICY_ON_OPEN);
  EXPECT_EQ(X(first), 1);
  EXPECT_EQ(X(joined), 1);
  EXPECT_EQ(SnapshotOf(joined), SnapshotOf(first));
  EXPECT_EQ(X(other), 2) << "others are not held back";
  for (const auto& ref : {first, joined}) {
    v1::CloseStageRequest request;
    request.set_handle(ref.handle());
    EXPECT_TRUE(client().CloseStage(request).ok());
  }
  EXPECT_EQ(X(OpenWith(v1::CHANGE_POLICY_FIXED)), 2) << "nobody held the old one";
}

TEST_F(ChangePoliciesTest, EqualAssetsGiveEqualFingerprintsWhateverThePolicy) {
  Start(options_);
  const std::string fixed = SnapshotOf(OpenWith(v1::CHANGE_POLICY_FIXED));
  EXPECT_EQ(SnapshotOf(OpenWith(v1::CHANGE_POLICY_FOLLOW)), fixed);
  EXPECT_EQ(SnapshotOf(OpenWith(v1::CHANGE_POLICY_ON_OPEN)), fixed);
}

TEST_F(ChangePoliciesTest, EditsOfAFixedStageKeepTheLayersItHasUsed) {
  Write("root.usda", R"((
  subLayers = [@./sub.usda@]
)
def "P" (references = @./ref.usda@</R>) {}
def "Q" (payload = @./late.usda@</R>) { double x; }
)");
  Write("ref.usda", "def \"R\" { double y = 1; }\n");
  Write("late.usda", "def \"R\" { double x = 1; }\n");
  Start(options_);
  v1::OpenStageRequest open;
  open.set_root_layer("/root.usda");
  open.set_change_policy(v1::CHANGE_POLICY_FIXED);
  open.set_load_policy(v1::LOAD_POLICY_NONE);
  const auto fixed = Open(open);
  Put(2);
  Write("ref.usda", "def \"R\" { double y = 2; }\n");
  Write("late.usda", "def \"R\" { double x = 2; }\n");
  v1::LoadPrimsRequest load;
  *load.mutable_stage() = fixed;
  load.add_paths("/Q");
  ASSERT_TRUE(client().LoadPrims(load).ok());
  EXPECT_EQ(X(fixed), 1);
  EXPECT_EQ(Numbers(fixed, "/P.y", {1}), std::vector<double>{1});
  EXPECT_EQ(Numbers(fixed, "/Q.x", {1}), std::vector<double>{2}) << "opened now";
  // A layer that an edit removes and another brings back is the same.
  v1::MuteLayersRequest mute;
  *mute.mutable_stage() = fixed;
  mute.add_mute("/sub.usda");
  ASSERT_TRUE(client().MuteLayers(mute).ok());
  v1::MuteLayersRequest unmute;
  *unmute.mutable_stage() = fixed;
  unmute.add_unmute("/sub.usda");
  ASSERT_TRUE(client().MuteLayers(unmute).ok());
  EXPECT_EQ(X(fixed), 1);
  v1::ReloadStageRequest reload;
  *reload.mutable_stage() = fixed;
  ASSERT_TRUE(client().ReloadStage(reload).ok());
  EXPECT_EQ(X(fixed), 2) << "a client may still ask for the current versions";
  EXPECT_EQ(Numbers(fixed, "/P.y", {1}), std::vector<double>{2});
}

TEST_F(ChangePoliciesTest, ThePolicyIsPartOfTheSession) {
  Start(options_);
  v1::OpenStageRequest request;
  request.set_root_layer("/root.usda");
  request.set_session("shared");
  request.set_change_policy(v1::CHANGE_POLICY_FOLLOW);
  const auto opened = client().OpenStage(request);
  ASSERT_TRUE(opened.ok()) << opened.status();
  EXPECT_EQ(opened->stage().change_policy(), v1::CHANGE_POLICY_FOLLOW);
  EXPECT_TRUE(client().OpenStage(request).ok());
  request.set_change_policy(v1::CHANGE_POLICY_FIXED);
  EXPECT_EQ(GetReason(client().OpenStage(request).status()), v1::ERROR_REASON_SESSION_CONFLICT);
  request.set_change_policy(static_cast<v1::ChangePolicy>(77));
  EXPECT_EQ(GetReason(client().OpenStage(request).status()), v1::ERROR_REASON_INVALID_FIELD);
}

TEST_F(ChangePoliciesTest, AFollowedStageShowsChangesByItself) {
  Start(options_);
  const auto followed = OpenWith(v1::CHANGE_POLICY_FOLLOW);
  const auto other = OpenWith(v1::CHANGE_POLICY_ON_OPEN);
  v1::StageRef pinned = followed;
  pinned.set_snapshot(SnapshotOf(followed));
  EXPECT_EQ(X(followed), 1);
  Put(2);
  EXPECT_TRUE(Eventually([&] { return X(followed) == 2; }));
  EXPECT_EQ(X(pinned), 1);
  EXPECT_EQ(X(other), 1);
  // Counted a moment after the snapshot is published.
  EXPECT_TRUE(Eventually([&] { return Statistics().reopens() == 1; }));
  EXPECT_TRUE(Eventually([&] { return Statistics().polled_assets() == 2; }));
  EXPECT_EQ(Statistics().watched_assets(), 0u) << "layers in memory can only be polled";
  EXPECT_EQ(Statistics().failures(), 0u);
  files_->Remove("/sub.usda");
  Write("root.usda", "def \"P\" { double x = 3; }\n");
  EXPECT_TRUE(Eventually([&] { return X(followed) == 3; }));
}

TEST_F(ChangePoliciesTest, AFollowedStageShowsChangedClips) {
  WriteClips(2);
  Start(options_);
  const auto followed = OpenWith(v1::CHANGE_POLICY_FOLLOW);
  EXPECT_EQ(Numbers(followed, "/P.x", {1, 2}), (std::vector<double>{10, 20}));
  Write("clip.2.usda", "def \"C\" { double x.timeSamples = { 2: 25 }; }\n");
  EXPECT_TRUE(Eventually([&] {
    return Numbers(followed, "/P.x", {1, 2}) == std::vector<double>{10, 25};
  }));
}

TEST_F(ChangePoliciesTest, RequestsDuringAReopenSeeTheOldSnapshot) {
  const auto gate = std::make_shared<GatedResolver>(files_);
  gate->gated = "/sub.usda";
  StartOn(options_, gate);
  const auto followed = OpenWith(v1::CHANGE_POLICY_FOLLOW);
  EXPECT_EQ(X(followed), 1);
  gate->closed = true;
  Put(2);
  ASSERT_TRUE(gate->reached.try_acquire_for(kLimit)) << "the change was not noticed";
  EXPECT_EQ(X(followed), 1) << "while the new snapshot is being composed";
  gate->gate.release();
  EXPECT_TRUE(Eventually([&] { return X(followed) == 2; }));
}

TEST_F(ChangePoliciesTest, ARequestDuringAReopenSeesOneVersion) {
  WriteClips(1);
  Write("base.usda", R"(def "P" (
    clips = { dictionary default = {
        string templateAssetPath = "./clip.#.usda"
        double templateStartTime = 1
        double templateEndTime = 1
        double templateStride = 1
        asset manifestAssetPath = @./manifest.usda@
        string primPath = "/C"
    } }
)
{
    double x
}
)");
  Write("root.usda", "(\n  subLayers = [@./sub.usda@, @./base.usda@]\n)\n");
  const auto put = [&](int version) {
    Write("sub.usda", Concat("def \"A\" { double v = ", version,
                             "; }\ndef \"Z\" { double v = ", version, "; }\n"));
  };
  put(1);
  const auto gate = std::make_shared<GatedResolver>(files_);
  gate->gated = "/clip.1.usda";
  StartOn(options_, gate);
  const auto followed = OpenWith(v1::CHANGE_POLICY_FOLLOW);
  gate->closed = true;
  // Stops in the middle: the second value comes from a clip that cannot be opened yet.
  auto values = std::async(std::launch::async, [&] {
    return Numbers(RequestFor<v1::BatchGetValuesRequest>(followed, {"/A.v", "/P.x", "/Z.v"}, {1}));
  });
  ASSERT_TRUE(gate->reached.try_acquire_for(kLimit)) << "the clip was not opened";
  const std::string before = SnapshotOf(followed);
  put(2);
  EXPECT_TRUE(Eventually([&] { return SnapshotOf(followed) != before; }));
  EXPECT_EQ(Numbers(followed, "/Z.v", {1}), std::vector<double>{2});
  gate->gate.release();
  EXPECT_EQ(values.get(), (std::vector<double>{1, 10, 1}));
}

// Tests following files, with notifications of the operating system.
class FollowedFilesTest : public ChangePoliciesTest {
 protected:
  FollowedFilesTest() {
    options_.allowed_roots = {dir_.path()};
    options_.follow_poll = std::chrono::hours(1);
    dir_.Write("root.usda", "#usda 1.0\n(\n  subLayers = [@./sub.usda@]\n)\ndef \"P\" {}\n");
    dir_.Write("sub.usda", Content(1));
    StartOn(options_, nullptr);
    followed_ = OpenWith(v1::CHANGE_POLICY_FOLLOW, dir_ / "root.usda");
    EXPECT_TRUE(Eventually([&] { return Statistics().watched_assets() == 2; }));
  }
  static std::string Content(int x) {
    return Concat("#usda 1.0\nover \"P\" { double y = ", x, "; }\n");
  }
  std::vector<double> Y() { return Numbers(followed_, "/P.y", {1}); }
  bool Shows(int y) {
    return Eventually([&] { return Y() == std::vector<double>{static_cast<double>(y)}; });
  }
  void WriteInPlace(const std::string& content) { std::ofstream(dir_ / "sub.usda") << content; }

  TempDir dir_;
  v1::StageRef followed_;
};

TEST_F(FollowedFilesTest, EveryWayToChangeAFileIsNoticed) {
  EXPECT_EQ(Y(), std::vector<double>{1});
  dir_.Write("sub.usda", Content(2));
  EXPECT_TRUE(Shows(2)) << "rename over it";
  WriteInPlace(Content(3));
  EXPECT_TRUE(Shows(3)) << "write in place";
  const std::string before = SnapshotOf(followed_);
  WriteInPlace("#usda 1.0\nover \"P\" { double y");
  EXPECT_TRUE(Eventually([&] { return Statistics().failures() > 0; }));
  EXPECT_EQ(SnapshotOf(followed_), before) << "half-written";
  WriteInPlace(Content(4));
  EXPECT_TRUE(Shows(4)) << "completed";
  EXPECT_EQ(Statistics().polled_assets(), 0u);
}

TEST_F(FollowedFilesTest, ASublayerMayBeDeletedAndCreated) {
  const std::string before = SnapshotOf(followed_);
  std::filesystem::remove(dir_ / "sub.usda");
  EXPECT_TRUE(Eventually([&] { return SnapshotOf(followed_) != before; }));
  v1::GetStageRequest request;
  *request.mutable_stage() = followed_;
  request.add_details(v1::STAGE_DETAIL_COMPOSITION_ERRORS);
  const auto reply = client().GetStage(request);
  ASSERT_TRUE(reply.ok()) << reply.status();
  EXPECT_EQ(reply->stage().composition_errors_size(), 1);
  WriteInPlace(Content(5));
  EXPECT_TRUE(Eventually([&] {
    v1::GetStageRequest again;
    *again.mutable_stage() = followed_;
    again.add_details(v1::STAGE_DETAIL_COMPOSITION_ERRORS);
    return client().GetStage(again)->stage().composition_errors_size() == 0;
  }));
  EXPECT_EQ(Y(), std::vector<double>{5});
}

TEST_F(FollowedFilesTest, NothingIsWatchedAfterTheLastLease) {
  v1::CloseStageRequest request;
  request.set_handle(followed_.handle());
  ASSERT_TRUE(client().CloseStage(request).ok());
  EXPECT_TRUE(Eventually([&] { return Statistics().watched_assets() == 0; }));
  EXPECT_EQ(Statistics().stages(), 0u);
}

}  // namespace
}  // namespace stagedoor::server

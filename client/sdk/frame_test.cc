#include "client/sdk/frame.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <future>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "client/cc/error_reason.h"
#include "client/sdk/stage.h"
#include "client/sdk/testing/fake_daemon.h"
#include "client/sdk/testing/frame_messages.h"

namespace stagedoor::sdk {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

const grpc::Status kBroken(grpc::StatusCode::UNAVAILABLE, "Socket closed");

// The next frame after WholeFrame, in which only the mesh has moved.
v1::ExtractFrameResponse Moved(double x, const std::string& token) {
  v1::ExtractFrameResponse message;
  message.mutable_header()->set_snapshot("snapshot");
  message.mutable_header()->set_camera_path("/Cam");
  message.mutable_header()->set_settings_path("/Settings");
  AddTransform(kMesh, {}, {x}, &message);
  message.set_token(token);
  return message;
}

// WholeFrame without its token, and then an empty message with it.
std::vector<v1::ExtractFrameResponse> WholeFrameInTwo() {
  v1::ExtractFrameResponse first = WholeFrame();
  v1::ExtractFrameResponse last;
  last.set_token(first.token());
  first.clear_token();
  return {first, last};
}

class FrameTest : public FakeDaemonTest {
 protected:
  static double MeshX(const Frame& frame) { return frame->places().at(kMesh).matrices[0][3][0]; }
};

TEST_F(FrameTest, TheRequestHasWhatTheOptionsSay) {
  first_.ScriptFrames({{{WholeFrame()}}});
  FrameOptions options;
  options.camera = "/Cam";
  options.shutter = {-0.25, 0.5, 3};
  options.request.mutable_selection()->add_roots("/A");
  options.request.mutable_sample_policy()->set_max_samples(7);
  EXPECT_TRUE(Open().Frame(options).Next(12).ok());
  const v1::ExtractFrameRequest request = first_.frames().at(0);
  EXPECT_EQ(request.time().numeric(), 12);
  EXPECT_EQ(request.selection().camera(), "/Cam");
  EXPECT_EQ(request.selection().roots(0), "/A");
  EXPECT_EQ(request.sample_policy().shutter_open(), -0.25);
  EXPECT_EQ(request.sample_policy().shutter_close(), 0.5);
  EXPECT_EQ(request.sample_policy().segments(), 3u);
  EXPECT_EQ(request.sample_policy().max_samples(), 7u);
  EXPECT_EQ(request.base_token(), "");
}

TEST_F(FrameTest, WithoutAShutterMotionIsNotSampled) {
  first_.ScriptFrames({{{WholeFrame()}}});
  EXPECT_TRUE(Open().Frame().Next(TimeCode::Default()).ok());
  EXPECT_FALSE(first_.frames().at(0).has_sample_policy());
  EXPECT_TRUE(first_.frames().at(0).time().has_default_time());
}

TEST_F(FrameTest, TheNextFrameBringsWhatDiffers) {
  first_.ScriptFrames({{{WholeFrame()}}, {{Moved(5, "second")}}, {{Moved(6, "third")}}});
  Frame frame = Open().Frame();
  EXPECT_THAT(frame->prims(), IsEmpty());
  EXPECT_TRUE(frame.Next(1)->complete);
  const absl::StatusOr<FrameChanges> changes = frame.Next(2);
  ASSERT_TRUE(changes.ok()) << changes.status();
  EXPECT_FALSE(changes->complete);
  EXPECT_THAT(changes->transforms, ElementsAre(kMesh));
  EXPECT_EQ(MeshX(frame), 5);
  EXPECT_EQ(frame->prims().size(), 2u);
  EXPECT_TRUE(Frame(frame).Next(3).ok());
  EXPECT_EQ(MeshX(frame), 6) << "a copy is the same frame";
  const std::vector<v1::ExtractFrameRequest> requests = first_.frames();
  EXPECT_EQ(requests.at(1).base_token(), "token");
  EXPECT_EQ(requests.at(2).base_token(), "second");
}

TEST_F(FrameTest, PartsArePassedOnAsTheyArrive) {
  first_.ScriptFrames({{WholeFrameInTwo()}});
  Frame frame = Open().Frame();
  std::vector<size_t> prims;
  const absl::Status status = frame.NextInParts(1, [&](const FrameChanges& changes) {
    EXPECT_TRUE(frame->prims().contains(kMesh)) << "applied already";
    prims.push_back(changes.prims.size());
    return absl::OkStatus();
  });
  EXPECT_TRUE(status.ok()) << status;
  EXPECT_THAT(prims, ElementsAre(2, 0));
}

TEST_F(FrameTest, AfterAFailureTheNextFrameIsAskedForAsAWhole) {
  const grpc::Status broken(grpc::StatusCode::INTERNAL, "broken");
  first_.ScriptFrames({{{WholeFrame()}}, {{Moved(5, "second")}, broken}, {{WholeFrame()}}});
  Frame frame = Open().Frame();
  EXPECT_TRUE(frame.Next(1).ok());
  EXPECT_EQ(frame.Next(2).status().code(), absl::StatusCode::kInternal);
  EXPECT_TRUE(frame.Next(3).ok());
  EXPECT_EQ(first_.frames().at(2).base_token(), "");
}

TEST_F(FrameTest, AFailureBeforeTheFirstMessageLeavesTheFrame) {
  const grpc::Status broken(grpc::StatusCode::INTERNAL, "broken");
  first_.ScriptFrames({{{WholeFrame()}}, {{}, broken}, {{Moved(5, "third")}}});
  Frame frame = Open().Frame();
  EXPECT_TRUE(frame.Next(1).ok());
  EXPECT_FALSE(frame.Next(2).ok());
  EXPECT_EQ(MeshX(frame), 10);
  EXPECT_TRUE(frame.Next(3).ok());
  EXPECT_EQ(first_.frames().at(2).base_token(), "token");
}

TEST_F(FrameTest, ABrokenConnectionIsRepeatedOfTheSameSnapshot) {
  v1::ExtractFrameResponse half = Moved(4, "");
  half.mutable_header()->set_snapshot("other");
  first_.ScriptFrames({{{WholeFrame()}}, {{half}, kBroken}});
  second_.ScriptFrames({{{Moved(5, "second")}}});
  Frame frame = Open().Frame();
  EXPECT_TRUE(frame.Next(1).ok());
  const absl::StatusOr<FrameChanges> changes = frame.Next(2);
  ASSERT_TRUE(changes.ok()) << changes.status();
  EXPECT_EQ(MeshX(frame), 5);
  const v1::ExtractFrameRequest repeated = second_.frames().at(0);
  EXPECT_EQ(repeated.stage().snapshot(), "other");
  EXPECT_EQ(repeated.base_token(), "token");
}

TEST_F(FrameTest, NothingIsKeptOfAFrameThatWasDroppedWhenTheConnectionBroke) {
  first_.ScriptFrames({{{WholeFrame()}}, {{WholeFrameInTwo()[0]}, kBroken}});
  second_.ScriptFrames({{{WholeFrame()}}});
  Frame frame = Open().Frame();
  EXPECT_TRUE(frame.Next(1).ok());
  EXPECT_TRUE(frame.Next(2).ok());
  EXPECT_EQ(second_.frames().at(0).base_token(), "");
}

TEST_F(FrameTest, ASinkThatRefusesAMessageEndsTheCall) {
  first_.ScriptFrames({{WholeFrameInTwo()}, {{WholeFrame()}}});
  Frame frame = Open().Frame();
  int calls = 0;
  const absl::Status status = frame.NextInParts(1, [&](const FrameChanges&) {
    ++calls;
    return absl::UnavailableError("no room");
  });
  EXPECT_EQ(status, absl::UnavailableError("no room"));
  EXPECT_EQ(calls, 1);
  EXPECT_TRUE(frame.Next(1).ok());
}

TEST_F(FrameTest, InconsistentRepliesAreErrors) {
  v1::ExtractFrameResponse headless = WholeFrame();
  headless.clear_header();
  v1::ExtractFrameResponse endless = WholeFrame();
  endless.clear_token();
  v1::ExtractFrameResponse damaged = WholeFrame();
  damaged.mutable_prims()->clear_paths();
  for (const v1::ExtractFrameResponse& message : {headless, endless, damaged}) {
    first_.ScriptFrames({{{message}}});
    const absl::Status status = Open().Frame().Next(1).status();
    EXPECT_TRUE(absl::IsDataLoss(status)) << status;
  }
}

TEST_F(FrameTest, ACallCanBeCancelled) {
  first_.ScriptFrames({{{WholeFrame()}, grpc::Status::OK, /*hangs=*/true}, {{WholeFrame()}}});
  Frame frame = Open().Frame();
  const CallOptions call = {.cancellation = std::make_shared<Cancellation>()};
  const absl::Status status = frame.NextInParts(
      1,
      [&](const FrameChanges&) {
        call.cancellation->Cancel();
        return absl::OkStatus();
      },
      call);
  EXPECT_EQ(status.code(), absl::StatusCode::kCancelled);
  EXPECT_TRUE(frame.Next(1).ok());
}

TEST_F(FrameTest, OneCallAtATime) {
  first_.ScriptFrames({{{WholeFrame()}}});
  Frame frame = Open().Frame();
  absl::Status second;
  absl::Status async;
  const absl::Status first = frame.NextInParts(1, [&](const FrameChanges&) {
    second = frame.Next(2).status();
    frame.NextAsync(
        2, [](const FrameChanges&) { return absl::OkStatus(); },
        [&](const absl::Status& status) { async = status; });
    return absl::OkStatus();
  });
  EXPECT_TRUE(first.ok());
  EXPECT_EQ(second.code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_EQ(async.code(), absl::StatusCode::kFailedPrecondition);
}

TEST_F(FrameTest, FramesComeWithoutWaiting) {
  first_.ScriptFrames({{{WholeFrame()}}, {{Moved(5, "second")}}});
  Frame frame = Open().Frame();
  std::promise<absl::Status> done;
  frame.NextAsync(
      1, [](const FrameChanges&) { return absl::OkStatus(); },
      [&](const absl::Status& status) { done.set_value(status); });
  EXPECT_TRUE(done.get_future().get().ok());
  const absl::StatusOr<FrameChanges> changes = frame.NextAsync(2).get();
  ASSERT_TRUE(changes.ok()) << changes.status();
  EXPECT_THAT(changes->transforms, ElementsAre(kMesh));
  EXPECT_EQ(MeshX(frame), 5);
}

TEST_F(FrameTest, AFrameMayBeDroppedWhileItComes) {
  first_.ScriptFrames({{{WholeFrame()}}});
  EXPECT_TRUE(Open().Frame().NextAsync(1).get().ok());
}

TEST_F(FrameTest, AFingerprintIsThatOfTheSelection) {
  v1::ComputeFrameFingerprintRequest asked;
  first_.fingerprint_of = [&](const v1::ComputeFrameFingerprintRequest& request) {
    asked = request;
    return std::string(32, 'f');
  };
  const Frame frame = Open().Frame({.camera = "/Cam", .shutter = {{0, 1}}});
  EXPECT_EQ(frame.GetFingerprint(12).value(), std::string(32, 'f'));
  EXPECT_EQ(asked.time().numeric(), 12);
  EXPECT_EQ(asked.selection().camera(), "/Cam");
  EXPECT_EQ(asked.sample_policy().shutter_close(), 1);
  first_.fingerprint_of = [](const auto&) { return "short"; };
  EXPECT_TRUE(absl::IsDataLoss(frame.GetFingerprint(12).status()));
}

}  // namespace
}  // namespace stagedoor::sdk

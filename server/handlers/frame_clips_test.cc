// Tests of the changes sent of a frame after value clips have changed, which are not part of a
// snapshot.
#include <gtest/gtest.h>

#include <string>

#include "server/testing/frame_scene_test.h"

namespace stagedoor::server {
namespace {

class FrameClipsTest : public FrameSceneTest {
 protected:
  // A ball whose radius is in clips, ten times the time.
  void LoadClips() {
    for (const int frame : {1, 2, 3}) WriteClip(frame, 10 * frame);
    Write("manifest.usda", "def \"C\" { double radius; }\n");
    Load(R"(def Sphere "S" (
  clips = { dictionary default = {
    string templateAssetPath = "./clip.#.usda"
    double templateStartTime = 1
    double templateEndTime = 3
    double templateStride = 1
    asset manifestAssetPath = @./manifest.usda@
    string primPath = "/C"
  } }
) {
  double radius
}
)");
  }
  void WriteClip(int frame, int radius) {
    Write(Concat("clip.", frame, ".usda"),
          Concat("def \"C\" { double radius.timeSamples = { ", frame, ": ", radius, " }; }\n"));
  }
  void Reload() {
    v1::ReloadStageRequest request;
    *request.mutable_stage() = stage_;
    const auto reply = client().ReloadStage(request);
    ASSERT_TRUE(reply.ok()) << reply.status();
  }
  double Radius() const { return values_.at("/S.radius").values(0).double_value(); }
};

TEST_F(FrameClipsTest, AChangedClipOfTheBaseMakesTheFrameComplete) {
  LoadClips();
  Next(1);
  EXPECT_EQ(Next(2), Strings{"value /S.radius"});
  WriteClip(2, 25);
  Reload();
  Next(2);
  EXPECT_TRUE(IsComplete());
  EXPECT_EQ(Radius(), 25);
  EXPECT_EQ(Next(2), Strings()) << "the new token is of the new clip";
  EXPECT_FALSE(IsComplete());
}

TEST_F(FrameClipsTest, ChangesOfOtherClipsDoNot) {
  LoadClips();
  Next(1);
  Next(2);
  WriteClip(1, 15);
  WriteClip(3, 35);
  Reload();
  EXPECT_EQ(Next(1), Strings{"value /S.radius"});
  EXPECT_FALSE(IsComplete());
  EXPECT_EQ(Radius(), 15);
}

TEST_F(FrameClipsTest, OnlyWhatAClipChangedIsSentToWhoIsRemembered) {
  options_.set_changes_between_snapshots(true);
  LoadClips();
  Next(2);
  WriteClip(2, 25);
  Reload();
  EXPECT_EQ(Next(2), Strings{"value /S.radius"});
  EXPECT_FALSE(IsComplete());
  EXPECT_EQ(Radius(), 25);
}

TEST_F(FrameClipsTest, NeighborsOfAShutterCount) {
  LoadClips();
  options_.mutable_sample_policy()->set_shutter_open(-0.25);
  options_.mutable_sample_policy()->set_shutter_close(0.25);
  Next(2);
  WriteClip(3, 35);
  Reload();
  Next(2);
  EXPECT_TRUE(IsComplete());
}

}  // namespace
}  // namespace stagedoor::server

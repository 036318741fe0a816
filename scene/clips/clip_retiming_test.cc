// Clips that loop, play backwards, are retimed or stand still, and their flattened samples.
// Expected values come from OpenUSD.
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "scene/export/flatten.h"
#include "scene/layer/field_keys.h"
#include "scene/testing/clips_fixture.h"
#include "scene/values/layer_offset.h"
#include "scene/values/spline.h"
#include "scene/values/time_code_value.h"
#include "scene/values/time_samples.h"

namespace stagedoor {
namespace {

// Rises from 15 to 17 between the clip times 1 and 5; time codes hold their own clip time.
constexpr std::string_view kRise = R"(
def "M" {
  double b.timeSamples = {1: 15, 5: 17}
  timecode c.timeSamples = {1: 1, 5: 5}
})";
constexpr std::string_view kOther = R"(
def "M" {
  double b.timeSamples = {1: 25, 5: 37}
  timecode c.timeSamples = {1: 1, 5: 5}
})";
constexpr std::string_view kAttributes = "double b\ntimecode c";

class ClipRetimingTest : public ClipsTest {
 protected:
  void Play(std::string_view times, const std::vector<std::string_view>& clips = {kRise},
            std::string_view active = "(0, 0)") {
    Write(clips, Concat("double2[] active = [", active, "]\ndouble2[] times = [", times, "]"),
          kAttributes);
  }
  std::string Numbers(const std::vector<double>& times, bool pre = false) {
    std::vector<TimeCode> time_codes;
    for (const double t : times) time_codes.push_back(pre ? TimeCode::PreTime(t) : TimeCode::At(t));
    return Values(Open(), time_codes);
  }
  // The time codes of /M.c.
  std::string Codes(const std::vector<double>& times) {
    const Attribute c = Open("/M.c");
    std::string text;
    for (const double t : times) {
      const Value value = c.Get(scene_.context(), TimeCode::At(t));
      const TimeCodeValue* code = value.Get<TimeCodeValue>();
      text += Concat(text.empty() ? "" : " ", code ? Concat(code->value) : std::string("-"));
    }
    return text;
  }
  // The flattened samples of /M.b, rounded to 1e-6.
  std::string Flattened() {
    Open();
    const auto flat = FlattenStage(scene_.context(), *stage_, {.identifier = "flat.usda"});
    EXPECT_TRUE(flat.ok()) << flat.status();
    const Value held = (*flat)->Get((*flat)->tree().Find(P("/M.b")), Fields().timeSamples);
    const TimeSamples* samples = held.samples();
    if (samples == nullptr) return "none";
    std::string text;
    for (size_t i = 0; i < samples->size(); ++i) {
      const Value value = samples->At(i);
      const auto round = [](double x) { return std::round(x * 1e6) / 1e6; };
      text += Concat(i ? " " : "", round(samples->times()[i]), ":",
                     value.Get<double>() ? Concat(round(*value.Get<double>())) : std::string("-"));
    }
    return text;
  }
};

TEST_F(ClipRetimingTest, LoopsRestartAtEachJump) {
  Play("(0, 1), (4, 5), (4, 1), (8, 5), (8, 1), (12, 5)");
  const std::vector<double> times = {0, 2, 3, 4, 6, 8, 10, 12, 14};
  EXPECT_EQ(Numbers(times), "15 16 16.5 15 16 15 16 17 17");
  EXPECT_EQ(Numbers(times, /*pre=*/true), "15 16 16.5 17 16 17 16 17 17");
  EXPECT_EQ(Codes(times), "0 2 3 4 6 8 10 12 12");
  EXPECT_EQ(Samples(Open()), "0 3.999999995559108 4 7.999999995559108 8 12");
  EXPECT_EQ(Flattened(), "0:15 4:17 4:15 8:17 8:15 12:17");
}

TEST_F(ClipRetimingTest, LoopsMayPlayPartOfTheClip) {
  Play("(0, 2), (2, 4), (2, 2), (4, 4)");
  EXPECT_EQ(Numbers({0, 1, 2, 3, 4}), "15.5 16 15.5 16 16.5");
  EXPECT_EQ(Numbers({2}, /*pre=*/true), "16.5");
  EXPECT_EQ(Flattened(), "0:15.5 2:16.5 2:15.5 4:16.5");
}

TEST_F(ClipRetimingTest, ReversedClipsPlayBackwards) {
  Play("(1, 5), (5, 1)", {kRise}, "(1, 0)");
  const std::vector<double> times = {0, 1, 2, 3, 4, 5, 6};
  EXPECT_EQ(Numbers(times), "17 17 16.5 16 15.5 15 15");
  EXPECT_EQ(Numbers(times, /*pre=*/true), "17 17 16.5 16 15.5 15 15");
  EXPECT_EQ(Codes(times), "1 1 2 3 4 5 5");
  EXPECT_EQ(Flattened(), "1:17 5:15");
}

TEST_F(ClipRetimingTest, ClipsMayPlayForwardsAndBack) {
  Play("(1, 1), (5, 5), (9, 1)", {kRise}, "(1, 0)");
  EXPECT_EQ(Numbers({1, 3, 5, 6, 7, 9, 10}), "15 16 17 16.5 16 15 15");
  EXPECT_EQ(Codes({1, 3, 5, 6, 7, 9, 10}), "1 3 5 6 7 9 9");
  EXPECT_EQ(Samples(Open()), "1 5 9");
}

TEST_F(ClipRetimingTest, ClipsPlaySlowerAndFaster) {
  Play("(0, 1), (8, 5)");
  EXPECT_EQ(Numbers({0, 1, 2, 4, 6, 8, 9}), "15 15.25 15.5 16 16.5 17 17");
  EXPECT_EQ(Codes({0, 1, 2, 4, 6, 8, 9}), "0 1 2 4 6 8 8");
  EXPECT_EQ(Flattened(), "0:15 8:17");
  Play("(0, 1), (2, 5)");
  EXPECT_EQ(Numbers({0, 0.5, 1, 1.5, 2, 3}), "15 15.5 16 16.5 17 17");
  EXPECT_EQ(Flattened(), "0:15 2:17");
}

TEST_F(ClipRetimingTest, ClipsAreHeldWhereTheCurveIsFlat) {
  Play("(0, 1), (2, 3), (6, 3), (8, 5)");
  EXPECT_EQ(Numbers({0, 1, 2, 3, 4, 5, 6, 7, 8}), "15 15.5 16 16 16 16 16 16.5 17");
  EXPECT_EQ(Codes({0, 1, 2, 3, 4, 5, 6, 7, 8}), "0 1 2 2 2 2 2 5 8");
  EXPECT_EQ(Samples(Open()), "0 2 6 8");
}

TEST_F(ClipRetimingTest, ASampleWhereTheNextClipBeginsIsNotPlayed) {
  // Just before 4, the clip time rounds to that of the last sample of the first clip.
  Play("(0, 1), (6, 7)", {kRise, kOther}, "(0, 0), (4, 1)");
  const double before = std::nextafter(4.0, 0.0);
  ASSERT_EQ(before + 1, 5);
  const Value value = Open("/M.b").Get(scene_.context(), TimeCode::At(before));
  ASSERT_NE(value.Get<double>(), nullptr);
  EXPECT_NEAR(*value.Get<double>(), 37, 1e-9);
}

TEST_F(ClipRetimingTest, CurvesMayPlayOneClipForwardsAndTheNextBackwards) {
  Play("(0, 1), (4, 5), (4, 5), (8, 1)", {kRise, kOther}, "(0, 0), (4, 1)");
  EXPECT_EQ(Numbers({0, 2, 3.5, 4, 6, 8}), "15 16 16.75 37 31 25");
  EXPECT_EQ(Numbers({4}, /*pre=*/true), "17");
  EXPECT_EQ(Flattened(), "0:15 4:17 4:37 8:25");
}

TEST_F(ClipRetimingTest, OffsetsApplyOnTopOfTheCurve) {
  Play("(1, 5), (5, 1)", {kRise}, "(1, 0)");
  scene_.Write("top.usda",
               "def \"M\" (references = @./root.usda@</M> (offset = 10; scale = 2)) {}\n");
  stage_ = scene_.Open("top.usda");
  const Attribute b(stage_->FindProperty(P("/M.b")));
  EXPECT_EQ(Values(b, {TimeCode::At(11), TimeCode::At(12), TimeCode::At(14), TimeCode::At(16),
                       TimeCode::At(20)}),
            "17 17 16.5 16 15");
  EXPECT_EQ(Samples(b), "12 20");
}

// 3.5 of the set is mapped to a stage time which mapped back is later. As OpenUSD, interpolates in
// stage time, between samples of one clip as between those of two.
TEST_F(ClipRetimingTest, ValuesAtSamplesAreExactBehindAnOffset) {
  const LayerOffset offset{0, 1.6};
  const double on_stage = offset.Apply(3.5);
  ASSERT_GT(offset.Inverse().Apply(on_stage), 3.5);
  scene_.Write("top.usda", "def \"M\" (references = @./root.usda@</M> (scale = 1.6)) {}\n");
  const auto values = [&] {
    stage_ = scene_.Open("top.usda");
    const Attribute b(stage_->FindProperty(P("/M.b")));
    return Values(b, {TimeCode::At(on_stage), TimeCode::At(std::nextafter(on_stage, 9))});
  };
  Write({"def \"M\" { double b.timeSamples = { 1: -1e16, 3.5: 0, 5: 1.5e16 }\n}"},
        "double2[] active = [(0, 0)]");
  EXPECT_EQ(values(), "0 5.551115123125784") << "samples of one clip";
  Write({"def \"M\" { double b.timeSamples = { 1: -1e16 }\n}",
         "def \"M\" { double b.timeSamples = { 3.5: 0 }\n}",
         "def \"M\" { double b.timeSamples = { 5: 1.5e16 }\n}"},
        "double2[] active = [(1, 0), (3.5, 1), (5, 2)]");
  EXPECT_EQ(values(), "0 5.551115123125784") << "samples of two clips";
}

// A curve that begins with a jump is continued to the left by the right side of the jump, and one
// that ends with a jump to the right; neither has a left side.
TEST_F(ClipRetimingTest, JumpsAtTheEndsOfTheCurveHaveNoLeftSide) {
  Play("(2, 1), (2, 5), (6, 1)");
  EXPECT_EQ(Numbers({0, 2, 4}), "17 17 16");
  EXPECT_EQ(Numbers({0, 2, 4}, /*pre=*/true), "17 17 16");
  EXPECT_EQ(Samples(Open()), "0 2 6");
  Play("(0, 1), (4, 5), (4, 1)");
  EXPECT_EQ(Numbers({0, 2, 4, 6}), "15 16 15 15");
  EXPECT_EQ(Numbers({2, 4, 6}, /*pre=*/true), "16 15 15");
}

TEST_F(ClipRetimingTest, SplinesOfClipsLoopAndPlayBackwards) {
  Play("(1, 5), (5, 1)", {kSpline}, "(1, 0)");
  EXPECT_EQ(Numbers({0, 1, 2, 3, 4, 5, 6}), "7 7 6.5 6 5.5 5 5");
  Play("(0, 1), (4, 5), (4, 1), (8, 5)", {kSpline});
  EXPECT_EQ(Numbers({0, 2, 3, 4, 6, 8, 9}), "5 6 6.5 5 6 7 7");
  EXPECT_EQ(Numbers({4}, /*pre=*/true), "7");
}

}  // namespace
}  // namespace stagedoor

#include "scene/value_resolution/explanation.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "scene/testing/clips_fixture.h"
#include "scene/values/array_edit.h"
#include "scene/values/time_code_value.h"
#include "scene/values/value_block.h"

namespace stagedoor {
namespace {

using Strings = std::vector<std::string>;

class ExplanationTest : public ClipsTest {
 protected:
  Explanation ExplainAt(std::string_view path, TimeCode time) {
    return Explain(scene_.context(), Open(path).Site(), time);
  }
  static Strings Layers(const std::vector<PropertyStackEntry>& stack) {
    Strings layers;
    for (const PropertyStackEntry& entry : stack) layers.push_back(entry.layer->identifier());
    return layers;
  }
  static bool Says(const Explanation& explanation, std::string_view text) {
    for (const std::string& line : explanation.lines) {
      if (line.find(text) != std::string::npos) return true;
    }
    return false;
  }
};

TEST_F(ExplanationTest, ListsOpinionsStrongestFirstAndTheAnsweringOne) {
  scene_.Write("weak.usda", "def \"M\" { double b.timeSamples = { 1: 1, 3: 3 }; }\n");
  scene_.Write("root.usda", R"((
    subLayers = [@./weak.usda@ (offset = 10)]
)
def "M" {
    double b (
        hidden = true
    )
}
)");
  const Explanation explanation = ExplainAt("/M.b", TimeCode::At(12));
  EXPECT_EQ(Layers(explanation.stack), (Strings{"/root.usda", "/weak.usda"}));
  EXPECT_EQ(explanation.kind, ResolveInfoSource::kTimeSamples);
  EXPECT_EQ(explanation.answering, 1);
  EXPECT_FALSE(explanation.stack[0].has_samples);
  EXPECT_TRUE(explanation.stack[1].has_samples);
  EXPECT_FALSE(explanation.stack[1].has_default);
  EXPECT_FALSE(explanation.stack[1].has_spline);
  EXPECT_FALSE(explanation.stack[1].is_clip);
  EXPECT_EQ(explanation.stack[1].offset.offset, 10);
  EXPECT_EQ(explanation.local_time, 2);
  EXPECT_EQ(explanation.bracket, std::pair(11.0, 13.0));
  EXPECT_TRUE(Says(explanation, "source: time samples"));
}

TEST_F(ExplanationTest, DefaultsHaveNoTime) {
  scene_.Write("root.usda", "def \"M\" { double b = 1; double c.spline = { 1: 1 }; }\n");
  const Explanation by_default = ExplainAt("/M.b", TimeCode::At(1));
  EXPECT_EQ(by_default.kind, ResolveInfoSource::kDefault);
  EXPECT_EQ(by_default.answering, 0);
  EXPECT_TRUE(by_default.stack[0].has_default);
  EXPECT_EQ(by_default.local_time, std::nullopt);
  EXPECT_EQ(by_default.bracket, std::nullopt);
  const Explanation spline = ExplainAt("/M.c", TimeCode::At(1));
  EXPECT_EQ(spline.kind, ResolveInfoSource::kSpline);
  EXPECT_TRUE(spline.stack[0].has_spline);
  EXPECT_EQ(spline.local_time, 1);
}

TEST_F(ExplanationTest, StatesWhyThereIsNoValue) {
  scene_.Write("root.usda", "def Cube \"M\" { double b; double size = None; double d = None; }\n");
  const Explanation none = ExplainAt("/M.b", TimeCode::At(1));
  EXPECT_EQ(none.kind, ResolveInfoSource::kNone);
  EXPECT_EQ(none.answering, -1);
  EXPECT_TRUE(Says(none, "no opinion holds a value"));
  const Explanation fallback = ExplainAt("/M.size", TimeCode::At(1));
  EXPECT_EQ(fallback.kind, ResolveInfoSource::kFallback);
  EXPECT_EQ(fallback.answering, -1);
  EXPECT_TRUE(fallback.blocked);
  EXPECT_TRUE(Says(fallback, "the strongest default is a block"));
  const Explanation unauthored = ExplainAt("/M.doubleSided", TimeCode::At(1));
  EXPECT_EQ(unauthored.kind, ResolveInfoSource::kFallback);
  EXPECT_TRUE(unauthored.stack.empty());
  EXPECT_FALSE(unauthored.blocked);
}

TEST_F(ExplanationTest, EachOpinionHasAValueOfItsOwn) {
  scene_.Write("weak.usda", R"(def "M" {
    double b = 4
    double b.timeSamples = { 1: 1, 3: 3 }
    timecode t = 5
    double[] e = [1]
    double s.spline = { 1: 1; post linear, 3: 3 }
}
)");
  scene_.Write("root.usda", R"((
    subLayers = [@./weak.usda@ (offset = 10)]
)
over "M" {
    double b = None
    timecode t = 7
    double[] e = edit [append 2]
    double s = AnimationBlock
}
)");
  const auto opinions = [&](std::string_view path, TimeCode time) {
    std::vector<StackOpinion> all;
    for (const PropertyStackEntry& entry : ExplainAt(path, time).stack) {
      all.push_back(OpinionOf(scene_.context(), entry, time, Interpolation::kLinear));
    }
    return all;
  };
  const auto at = opinions("/M.b", TimeCode::At(12));
  ASSERT_EQ(at.size(), 2u);
  EXPECT_EQ(at[0].kind, ResolveInfoSource::kDefault);
  EXPECT_TRUE(at[0].value.is_block());
  EXPECT_EQ(at[1].kind, ResolveInfoSource::kTimeSamples);
  EXPECT_EQ(at[1].value, Value(2.0));
  EXPECT_EQ(opinions("/M.b", TimeCode::Default())[1].value, Value(4.0));
  EXPECT_EQ(opinions("/M.t", TimeCode::At(1))[1].value, Value(TimeCodeValue{15}));
  const auto edit = opinions("/M.e", TimeCode::At(1));
  EXPECT_TRUE(edit[0].value.Is<ArrayEdit>());
  EXPECT_EQ(edit[1].value, Value(Array<double>{1}));
  const auto spline = opinions("/M.s", TimeCode::At(12));
  EXPECT_TRUE(spline[0].value.Is<AnimationBlock>());
  EXPECT_EQ(spline[1].kind, ResolveInfoSource::kSpline);
  EXPECT_EQ(spline[1].value, Value(2.0));
  EXPECT_EQ(opinions("/M.s", TimeCode::Default())[1].kind, ResolveInfoSource::kNone);
}

TEST_F(ExplanationTest, ClipsHaveAnOpinionToo) {
  Write({kTwoSamples, kTwoSamples},
        "double2[] active = [(0, 0), (5, 1)]\n"
        "double2[] times = [(0, 0), (10, 10)]");
  const TimeCode time = TimeCode::At(3);
  const Explanation explanation = ExplainAt("/M.b", time);
  const StackOpinion clip =
      OpinionOf(scene_.context(), explanation.stack[1], time, Interpolation::kLinear);
  EXPECT_EQ(clip.kind, ResolveInfoSource::kValueClips);
  EXPECT_EQ(clip.value,
            AttributeSource::Compile(scene_.context(), Open("/M.b").Site(), /*numeric=*/true)
                .ValueAt(scene_.context(), time, Interpolation::kLinear));
  EXPECT_FALSE(clip.value.empty());
}

TEST_F(ExplanationTest, TheActiveClipIsPartOfTheStack) {
  Write({kTwoSamples, kTwoSamples},
        "double2[] active = [(0, 0), (5, 1)]\n"
        "double2[] times = [(0, 0), (10, 10)]");
  const Explanation early = ExplainAt("/M.b", TimeCode::At(3));
  EXPECT_EQ(early.kind, ResolveInfoSource::kValueClips);
  ASSERT_EQ(early.answering, 1);
  EXPECT_EQ(Layers(early.stack), (Strings{"/root.usda", "/c0.usda"}));
  EXPECT_TRUE(early.stack[1].is_clip);
  EXPECT_TRUE(early.stack[1].has_samples);
  EXPECT_EQ(Layers(ExplainAt("/M.b", TimeCode::At(5)).stack), (Strings{"/root.usda", "/c1.usda"}));
  EXPECT_EQ(Layers(ExplainAt("/M.b", TimeCode::PreTime(5)).stack),
            (Strings{"/root.usda", "/c0.usda"}));
  EXPECT_EQ(Layers(ExplainAt("/M.b", TimeCode::Default()).stack), Strings{"/root.usda"});
}

}  // namespace
}  // namespace stagedoor

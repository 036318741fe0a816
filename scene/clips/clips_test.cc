// Value clips through a stage. Expected values come from OpenUSD.
#include <memory>
#include <string>
#include <vector>

#include "base/strings.h"
#include "gtest/gtest.h"
#include "scene/clips/clip_environment.h"
#include "scene/clips/clip_manifest_builder.h"
#include "scene/clips/stitch_clips.h"
#include "scene/stage/stage.h"
#include "scene/testing/clips_fixture.h"
#include "scene/values/time_code_value.h"
#include "scene/values/vec.h"

namespace stagedoor {
namespace {

TEST_F(ClipsTest, ValuesInterpolateInAndAcrossClips) {
  Write({kTwoSamples, kTwoSamples}, "double2[] active = [(1, 0), (3, 1)]");
  const Attribute b = Open();
  EXPECT_EQ(At(b), "15 15 15.5 16 16.5 17 17 17");
  EXPECT_EQ(Pre(b), "15 15 15.5 16 16.5 17 17 17");
  EXPECT_EQ(Samples(b), "1 3 5");
  EXPECT_TRUE(Varies(b));
}

TEST_F(ClipsTest, PreTimesSeeTheLeftSideOfJumps) {
  Write({kTwoSamples},
        "double2[] active = [(1, 0)]\n"
        "double2[] times = [(1, 1), (5, 5), (5, 1), (7, 3)]");
  const Attribute b = Open();
  EXPECT_EQ(At(b), "15 15 15.5 16 16.5 15 15.5 16");
  EXPECT_EQ(Pre(b), "15 15 15.5 16 16.5 17 15.5 16");
  EXPECT_EQ(Samples(b), "1 4.999999995559108 5 7");
}

TEST_F(ClipsTest, ReversedClipsPlayBackwards) {
  Write({kTwoSamples}, "double2[] active = [(3, 0)]\ndouble2[] times = [(2, 5), (4, 1)]");
  const Attribute b = Open();
  EXPECT_EQ(At(b), "17 17 17 16 15 15 15 15");
  EXPECT_EQ(Samples(b), "2 3 4");
}

TEST_F(ClipsTest, TimesOutsideOfTheCurveHoldItsEnds) {
  Write({kTwoSamples}, "double2[] active = [(1, 0)]\ndouble2[] times = [(2, 11), (4, 13)]");
  const Attribute b = Open();
  EXPECT_EQ(At(b), "17 17 17 17 17 17 17 17");
  EXPECT_EQ(Samples(b), "1 2 4");
}

TEST_F(ClipsTest, ClipsWithoutSamplesReadAsBlocksOrTheManifestsDefault) {
  const std::string timing = "double2[] active = [(1, 0), (3, 1), (5, 2)]";
  Write({kTwoSamples, kNothing, kTwoSamples}, timing);
  Attribute b = Open();
  EXPECT_EQ(At(b), "15 15 15 - - 17 17 17");
  EXPECT_EQ(Pre(b), "15 15 15 15 - - 17 17");
  EXPECT_EQ(Samples(b), "1 3 5");
  Write({kTwoSamples, kNothing, kTwoSamples}, timing, "double b", R"(
def "M" {
  double b = 4
})");
  EXPECT_EQ(At(Open()), "15 15 9.5 4 10.5 17 17 17");
}

TEST_F(ClipsTest, MissingValuesInterpolateIfTheSetEnablesIt) {
  const std::string timing =
      "double2[] active = [(1, 0), (3, 1), (5, 2)]\nbool interpolateMissingClipValues = true";
  Write({kTwoSamples, kNothing, kTwoSamples}, timing);
  Attribute b = Open();
  EXPECT_EQ(At(b), "15 15 15.5 16 16.5 17 17 17");
  EXPECT_EQ(Samples(b), "1 5");
  Write({kNothing, kNothing, kTwoSamples}, timing);
  b = Open();
  EXPECT_EQ(At(b), "17 17 17 17 17 17 17 17");
  EXPECT_EQ(Samples(b), "5");
  Write({kTwoSamples, kNothing, kNothing}, timing);
  EXPECT_EQ(Samples(Open()), "1");
}

TEST_F(ClipsTest, BlocksInTheManifestAvoidOpeningClips) {
  Write({kTwoSamples, kNothing, kTwoSamples},
        "double2[] active = [(1, 0), (3, 1), (5, 2)]\nbool interpolateMissingClipValues = true",
        "double b", R"(
def "M" {
  double b.timeSamples = {3: None}
})");
  const Attribute b = Open();
  EXPECT_EQ(Values(b, {TimeCode::At(4)}), "16.5");
  EXPECT_EQ(scene_.clips().cache().Stats().opens, 2u);
}

TEST_F(ClipsTest, BlockedSamplesGiveNoValueWhateverTheDefault) {
  Write({R"(
def "M" {
  double b.timeSamples = {1: 15, 3: None, 5: 17}
})"},
        "double2[] active = [(1, 0)]", "double b", R"(
def "M" {
  double b = 99
})");
  const Attribute b = Open();
  EXPECT_EQ(At(b), "15 15 15 - - 17 17 17");
  EXPECT_EQ(Pre(b), "15 15 15 15 - - 17 17");
}

TEST_F(ClipsTest, TimeCodesAreMappedToTheStage) {
  Write({R"(
def "M" {
  timecode b.timeSamples = {1: 1, 5: 5}
})"},
        "double2[] active = [(1, 0)]\ndouble2[] times = [(1, 1), (9, 5)]", "timecode b");
  const Attribute b = Open();
  for (const double t : {1.0, 3.0, 6.0, 9.0}) {
    EXPECT_EQ(b.Get(scene_.context(), TimeCode::At(t)), Value(TimeCodeValue{t})) << t;
  }
}

TEST_F(ClipsTest, SplinesInClipsEvaluateInClipTime) {
  Write({kSpline}, "double2[] active = [(1, 0)]\ndouble2[] times = [(1, 1), (3, 5), (5, 1)]");
  Attribute b = Open();
  EXPECT_EQ(At(b), "5 5 6 7 6 5 5 5");
  EXPECT_EQ(Samples(b), "");
  EXPECT_TRUE(Varies(b));
  Write({kSpline, kNothing, kSpline},
        "double2[] active = [(1, 0), (3, 1), (4, 2)]\nbool interpolateMissingClipValues = true");
  EXPECT_EQ(At(Open()), "5 5 5.5 6 6.5 7 7 7");
}

TEST_F(ClipsTest, AttributesOutsideTheManifestHaveNoClipValues) {
  Write({kTwoSamples}, "double2[] active = [(1, 0)]", "double b = 3", R"(
def "M" {
  double other
})");
  EXPECT_EQ(At(Open()), "3 3 3 3 3 3 3 3");
  Write({kTwoSamples}, "double2[] active = [(1, 0)]", "double b", R"(
def "M" {
  uniform double b
})");
  EXPECT_EQ(Open().Compile(scene_.context()).kind(), ResolveInfoSource::kNone);
}

TEST_F(ClipsTest, LocalOpinionsOfTheAnchoringLayerWin) {
  Write({kTwoSamples}, "double2[] active = [(1, 0)]", "double b = 3");
  EXPECT_EQ(At(Open()), "3 3 3 3 3 3 3 3");
}

TEST_F(ClipsTest, MalformedSetsGiveNoValuesAndAWarning) {
  const std::string_view timings[] = {
      "double2[] active = [(1, 1)]",
      "double2[] active = [(1, 0), (1, 0)]",
      "double2[] active = [(1, 0)]\ndouble2[] times = [(1, 1), (1, 2), (1, 3)]",
  };
  for (const std::string_view timing : timings) {
    Write({kTwoSamples}, timing);
    EXPECT_EQ(Open().Compile(scene_.context()).kind(), ResolveInfoSource::kNone) << timing;
  }
  ASSERT_FALSE(scene_.context().warnings().empty());
  const Warning warning = scene_.context().warnings()[0];
  EXPECT_EQ(warning.kind, Warning::Kind::kInvalidMetadata);
  EXPECT_EQ(warning.path, "/M");
  EXPECT_NE(warning.message.find("invalid clip set 'default'"), std::string::npos);
}

TEST_F(ClipsTest, UnreadableClipsAreBlocksAndWarnings) {
  Write({kTwoSamples, "not a layer {{{"}, "double2[] active = [(1, 0), (3, 1)]", "double b",
        kTwoSamples);
  const Attribute b = Open();
  EXPECT_EQ(Values(b, {TimeCode::At(1), TimeCode::At(4)}), "15 -");
  ASSERT_FALSE(scene_.context().warnings().empty());
  const Warning warning = scene_.context().warnings()[0];
  EXPECT_EQ(warning.kind, Warning::Kind::kUnreadableAsset);
  EXPECT_EQ(warning.asset, "./c1.usda");
  EXPECT_NE(warning.message.find("c1.usda"), std::string::npos);
}

TEST_F(ClipsTest, TemplatesFindExistingFiles) {
  for (const char* name : {"t.1.usda", "t.3.usda"}) scene_.Write(name, kTwoSamples);
  scene_.Write("root.usda", R"(
def "M" (clips = { dictionary default = {
  string templateAssetPath = "./t.#.usda"
  double templateStartTime = 1
  double templateEndTime = 5
  double templateStride = 1
  string primPath = "/M"
}})
{
  double b
}
)");
  EXPECT_EQ(Samples(Open()), "1 3");
}

TEST_F(ClipsTest, EqualSetsOfTwoStagesOpenEachClipOnce) {
  Write({kTwoSamples, kTwoSamples}, "double2[] active = [(1, 0), (3, 1)]");
  const Attribute first = Open();
  const std::shared_ptr<const Stage> keep = stage_;
  EXPECT_EQ(At(first), "15 15 15.5 16 16.5 17 17 17");
  EXPECT_EQ(At(Open()), "15 15 15.5 16 16.5 17 17 17");
  EXPECT_EQ(scene_.clips().cache().Stats().opens, 2u);
}

TEST_F(ClipsTest, AttributesShareEqualSampleLists) {
  constexpr std::string_view kThree = R"(
def "M" {
  double a.timeSamples = {1: 1, 5: 5}
  double b.timeSamples = {1: 2, 5: 6}
  double c.timeSamples = {1: 2, 4: 6}
})";
  Write({kThree}, "double2[] active = [(1, 0)]", "double a\ndouble b\ndouble c");
  stage_ = scene_.Open("root.usda");
  std::vector<Array<double>> lists;
  for (const char* path : {"/M.a", "/M.b", "/M.c"}) {
    lists.push_back(Attribute(stage_->FindProperty(P(path)))
                        .Compile(scene_.context())
                        .SampleTimes(scene_.context()));
  }
  EXPECT_EQ(lists[0].data(), lists[1].data());
  EXPECT_EQ(lists[2], (Array<double>{1, 4}));
}

TEST_F(ClipsTest, IntervalsOpenOnlyTheClipsActiveInThem) {
  Write({kTwoSamples, kTwoSamples, kTwoSamples}, "double2[] active = [(1, 0), (3, 1), (5, 2)]",
        "double b", kTwoSamples);
  const Attribute b = Open();
  const AttributeSource source = b.Compile(scene_.context());
  ASSERT_NE(source.clip_attribute(), nullptr);
  EXPECT_EQ(source.clip_attribute()->SampleTimesIn(scene_.context(), 3, 4.5),
            std::vector<double>{3});
  EXPECT_EQ(scene_.clips().cache().Stats().opens, 1u);
}

TEST_F(ClipsTest, ExplainReportsSetClipTimesAndReason) {
  Write({kTwoSamples, kNothing}, "double2[] active = [(1, 0), (3, 1)]");
  const Attribute b = Open();
  const AttributeSource source = b.Compile(scene_.context());
  ASSERT_NE(source.clip_attribute(), nullptr);
  const std::string lines = Join(source.clip_attribute()->ExplainAt(scene_.context(), 4), "\n");
  for (const char* part : {"clip set 'default'", "active clip 1: @./c1.usda@ from 3",
                           "stage time 4 is clip time 4", "no samples", "no value"}) {
    EXPECT_NE(lines.find(part), std::string::npos) << part << " in\n" << lines;
  }
}

TEST_F(ClipsTest, StitchedSetsHaveTheValuesOfTheirClips) {
  for (int i = 1; i <= 2; ++i) {
    scene_.Write(Concat("s.", i, ".usda"),
                 Concat("(\n startTimeCode = ", i, "\n endTimeCode = ", i,
                        "\n)\ndef \"W\" {\n  int still = 4\n  double x.timeSamples = {", i, ": ", i,
                        "}\n}\n"));
  }
  const ClipOpener open = [this](const std::string& clip) {
    return scene_.layers().Open(scene_.context(), {}, clip);
  };
  StitchClipsOptions options;
  options.clips = {"/s.1.usda", "/s.2.usda"};
  options.output = "/out.usda";
  options.clip_path = P("/W");
  const auto stitched = StitchClips(scene_.context(), open, options);
  ASSERT_TRUE(stitched.ok()) << stitched.status();
  EXPECT_EQ(stitched->topology->identifier(), "/out.topology.usda");
  EXPECT_NE(stitched->topology->tree().Find(P("/W.still")), kNoSpec);
  EXPECT_NE(stitched->manifest->tree().Find(P("/W.x")), kNoSpec);
  EXPECT_EQ(stitched->manifest->tree().Find(P("/W.still")), kNoSpec);
  const Value clips = stitched->result->Get(stitched->result->tree().Find(P("/W")), Token("clips"));
  ASSERT_TRUE(clips.Is<Dictionary>());
  const Value* active = clips.Get<Dictionary>()->FindByKeyPath("default:active");
  ASSERT_NE(active, nullptr);
  EXPECT_EQ(*active, Value(Array<Vec2d>{Vec2d{{1, 0}}, Vec2d{{2, 1}}}));
  options.clip_path = P("/Nowhere");
  EXPECT_EQ(StitchClips(scene_.context(), open, options).status().code(),
            absl::StatusCode::kInvalidArgument);
}

}  // namespace
}  // namespace stagedoor

// How the clip sets of a prim are composed from the dictionaries and lists of layers. Expected
// values come from OpenUSD.
#include "scene/clips/clip_set_definition.h"

#include <string>
#include <string_view>

#include "base/strings.h"
#include "gtest/gtest.h"
#include "scene/testing/answers_fixture.h"

namespace stagedoor {
namespace {

// Clips "a.usda", "b.usda" and "c.usda" of </C>, which give 1, 2 and 3 at time 0.
class ClipSetDefinitionTest : public AnswersTest {
 protected:
  ClipSetDefinitionTest() {
    Write("a.usda", "def \"C\" { double x.timeSamples = { 0: 1, 10: 11 }; }\n");
    Write("b.usda", "def \"C\" { double x.timeSamples = { 0: 2, 10: 12 }; }\n");
    Write("c.usda", "def \"C\" { double x.timeSamples = { 0: 3, 10: 13 }; }\n");
    Write("in/a.usda", "def \"C\" { double x.timeSamples = { 0: 50, 10: 60 }; }\n");
    Write("root.usda", "(subLayers = [@./strong.usda@, @./weak.usda@])\n");
    Write("strong.usda", "");
    Write("weak.usda", "");
  }
};

// A prim R with these clip sets.
std::string With(std::string_view sets, std::string_view more = "") {
  return Concat("over \"R\" (\n clips = {\n", sets, "\n}\n", more, "\n) { double x; }\n");
}
// A set with one clip, active from 0 on.
std::string Set(std::string_view name, std::string_view file, std::string_view more = "") {
  return Concat("dictionary ", name, " = {\n asset[] assetPaths = [@./", file,
                ".usda@]\n double2[] active = [(0, 0)]\n string primPath = \"/C\"\n", more,
                "\n}\n");
}

std::string WithPrimPath(std::string_view path) {
  return Concat(
      "dictionary one = {\n asset[] assetPaths = [@./a.usda@]\n double2[] active = [(0, 0)]\n"
      " string primPath = \"",
      path, "\"\n}\n");
}

// ---- The order of sets

TEST_F(ClipSetDefinitionTest, SetsAreOrderedByName) {
  Write("strong.usda", With(Concat(Set("two", "b"), Set("one", "a"))));
  EXPECT_EQ(At("/R.x", {0}), "1");
}

TEST_F(ClipSetDefinitionTest, ExplicitListsOrderSets) {
  Write("strong.usda",
        With(Concat(Set("one", "a"), Set("two", "b")), "clipSets = [\"two\", \"one\"]"));
  EXPECT_EQ(At("/R.x", {0}), "2");
}

TEST_F(ClipSetDefinitionTest, SetsMissingFromAnExplicitListAreIgnored) {
  Write("strong.usda", With(Concat(Set("one", "a"), Set("two", "b")), "clipSets = [\"two\"]"));
  EXPECT_EQ(At("/R.x", {0}), "2");
  Write("strong.usda", With(Set("one", "a"), "clipSets = [\"two\"]"));
  EXPECT_EQ(At("/R.x", {0}), "-");
}

TEST_F(ClipSetDefinitionTest, DeletedSetsAreIgnored) {
  Write("strong.usda",
        With(Concat(Set("one", "a"), Set("two", "b")), "delete clipSets = [\"one\"]"));
  EXPECT_EQ(At("/R.x", {0}), "2");
}

TEST_F(ClipSetDefinitionTest, PrependedSetsComeFirstAndAppendedOnesLast) {
  Write("strong.usda",
        With(Concat(Set("one", "a"), Set("two", "b")), "prepend clipSets = [\"two\"]"));
  EXPECT_EQ(At("/R.x", {0}), "2");
  Write("strong.usda",
        With(Concat(Set("one", "a"), Set("two", "b")), "append clipSets = [\"one\"]"));
  EXPECT_EQ(At("/R.x", {0}), "2");
}

TEST_F(ClipSetDefinitionTest, ListedNamesWithoutASetAreIgnored) {
  Write("strong.usda", With(Set("one", "a"), "clipSets = [\"nowhere\", \"one\"]"));
  EXPECT_EQ(At("/R.x", {0}), "1");
}

TEST_F(ClipSetDefinitionTest, SetsOfStrongerLayersAreStronger) {
  Write("strong.usda", With(Set("b", "b")));
  Write("weak.usda", With(Set("a", "a")));
  EXPECT_EQ(At("/R.x", {0}), "2");
}

TEST_F(ClipSetDefinitionTest, NamesOfWeakerLayersComeFirst) {
  Write("strong.usda", With(Concat(Set("one", "a"), Set("two", "b"))));
  Write("weak.usda", With("dictionary two = { bool interpolateMissingClipValues = true; }"));
  EXPECT_EQ(At("/R.x", {0}), "2");
}

TEST_F(ClipSetDefinitionTest, StrongerListsReorderWeakerSets) {
  Write("strong.usda", "over \"R\" (prepend clipSets = [\"two\"]) { double x; }\n");
  Write("weak.usda", With(Concat(Set("one", "a"), Set("two", "b"))));
  EXPECT_EQ(At("/R.x", {0}), "2");
  Write("strong.usda", "over \"R\" (delete clipSets = [\"one\", \"two\"]) { double x; }\n");
  EXPECT_EQ(At("/R.x", {0}), "-");
}

TEST_F(ClipSetDefinitionTest, WeakerListsDoNotHideStrongerSets) {
  Write("strong.usda", With(Set("one", "a")));
  Write("weak.usda", "over \"R\" (clipSets = [\"two\"]) { double x; }\n");
  EXPECT_EQ(At("/R.x", {0}), "1");
}

TEST_F(ClipSetDefinitionTest, ListsDoNotAffectSetsBehindArcs) {
  Write("model.usda", Concat("def \"B\" (\n clips = {\n", Set("one", "a"), "}\n) { double x; }\n"));
  Write("strong.usda",
        "def \"R\" (\n references = @./model.usda@</B>\n delete clipSets = [\"one\"]\n) {}\n");
  EXPECT_EQ(At("/R.x", {0}), "1");
}

// Each of two sites orders its own sets; those of the stronger site come first.
TEST_F(ClipSetDefinitionTest, SetsOfStrongerSitesComeFirst) {
  Write("model.usda", Concat("def \"B\" (\n clips = {\n", Set("a", "a"), "}\n) {}\n"));
  Write("other.usda", Concat("def \"B\" (\n clips = {\n", Set("b", "b"), "}\n) { double x; }\n"));
  Write("strong.usda", "def \"R\" (references = [@./other.usda@</B>, @./model.usda@</B>]) {}\n");
  EXPECT_EQ(At("/R.x", {0}), "2");
  Write("strong.usda", "def \"R\" (references = [@./model.usda@</B>, @./other.usda@</B>]) {}\n");
  EXPECT_EQ(At("/R.x", {0}), "1");
}

TEST_F(ClipSetDefinitionTest, SetsWithoutTheAttributeYieldToTheNext) {
  Write("a.usda", "def \"C\" { double y.timeSamples = { 0: 1 }; }\n");
  Write("strong.usda", With(Concat(Set("one", "a"), Set("two", "b"))));
  EXPECT_EQ(At("/R.x", {0}), "2");
}

// ---- The composition of a set

TEST_F(ClipSetDefinitionTest, StrongerEntriesReplaceWeakerOnes) {
  Write("strong.usda", With("dictionary one = { double2[] active = [(0, 1)]; }"));
  Write("weak.usda", With(R"(dictionary one = {
    asset[] assetPaths = [@./a.usda@, @./b.usda@]
    double2[] active = [(0, 0)]
    string primPath = "/C"
  })"));
  EXPECT_EQ(At("/R.x", {0, 5}), "2 7");
}

TEST_F(ClipSetDefinitionTest, WeakerEntriesFillGaps) {
  Write("strong.usda", With("dictionary one = { asset[] assetPaths = [@./c.usda@]; }"));
  Write("weak.usda",
        With("dictionary one = { double2[] active = [(0, 0)]; string primPath = \"/C\"; }"));
  EXPECT_EQ(At("/R.x", {0, 5}), "3 8");
}

TEST_F(ClipSetDefinitionTest, SetsWithDifferentNamesDoNotMix) {
  Write("strong.usda", With("dictionary one = { double2[] active = [(0, 1)]; }"));
  Write("weak.usda", With(Set("two", "a")));
  EXPECT_EQ(At("/R.x", {0}), "1");
}

TEST_F(ClipSetDefinitionTest, EntriesBehindArcsFillGaps) {
  Write("model.usda", R"(
def "B" (
  clips = { dictionary one = {
    asset[] assetPaths = [@./a.usda@, @./b.usda@]
    double2[] active = [(0, 0)]
    string primPath = "/C"
  } }
) { double x; }
)");
  Write("strong.usda", R"(
def "R" (
  references = @./model.usda@</B>
  clips = { dictionary one = { double2[] active = [(0, 1)]; } }
) {
}
)");
  EXPECT_EQ(At("/R.x", {0, 5}), "2 7");
}

// The layer that authors the asset paths anchors them, and the values of the set are ranked with
// its opinions.
TEST_F(ClipSetDefinitionTest, AssetPathsAreRelativeToTheirLayer) {
  Write("in/weak.usda", With("dictionary one = { asset[] assetPaths = [@./a.usda@]; }"));
  Write("root.usda", "(subLayers = [@./strong.usda@, @./in/weak.usda@])\n");
  Write("strong.usda",
        With("dictionary one = { double2[] active = [(0, 0)]; string primPath = \"/C\"; }"));
  EXPECT_EQ(At("/R.x", {0, 5}), "50 55");
}

TEST_F(ClipSetDefinitionTest, TheLayerOfTheAssetPathsRanksTheSet) {
  Write("strong.usda",
        With("dictionary one = { double2[] active = [(0, 0)]; string primPath = \"/C\"; }"));
  Write("mid.usda", "over \"R\" { double x = 77; }\n");
  Write("weak.usda", With("dictionary one = { asset[] assetPaths = [@./a.usda@]; }"));
  Write("root.usda", "(subLayers = [@./strong.usda@, @./mid.usda@, @./weak.usda@])\n");
  EXPECT_EQ(At("/R.x", {0}), "77");
  Write("strong.usda", With(Set("one", "a")));
  EXPECT_EQ(At("/R.x", {0}), "1");
}

TEST_F(ClipSetDefinitionTest, OffsetsAreThoseOfTheLayerWithActive) {
  Write("root.usda", "(subLayers = [@./strong.usda@ (offset = 2), @./weak.usda@ (offset = 5)])\n");
  Write("weak.usda", With(Set("one", "a", "double2[] times = [(0, 0), (10, 10)]")));
  EXPECT_EQ(Samples("/R.x"), "5 15");
  EXPECT_EQ(At("/R.x", {5, 7, 10}), "1 3 6");
  Write("strong.usda", With("dictionary one = { double2[] active = [(0, 0)]; }"));
  EXPECT_EQ(Samples("/R.x"), "2 5 15");
  EXPECT_EQ(At("/R.x", {2, 5, 7, 10}), "1 1 3 6");
}

TEST_F(ClipSetDefinitionTest, TimesOfAStrongerLayerHaveItsOffset) {
  Write("root.usda", "(subLayers = [@./strong.usda@ (offset = 2), @./weak.usda@ (offset = 5)])\n");
  Write("weak.usda", With(Set("one", "a")));
  Write("strong.usda", With("dictionary one = { double2[] times = [(0, 0), (10, 5)]; }"));
  EXPECT_EQ(Samples("/R.x"), "2 5 12");
  EXPECT_EQ(At("/R.x", {2, 5, 7, 12}), "1 2.5 3.5 6");
}

TEST_F(ClipSetDefinitionTest, OtherEntriesOfStrongerLayersAddNoOffset) {
  Write("root.usda", "(subLayers = [@./strong.usda@ (offset = 2), @./weak.usda@ (offset = 5)])\n");
  Write("weak.usda", With(Set("one", "a")));
  Write("strong.usda", With("dictionary one = { bool interpolateMissingClipValues = true; }"));
  EXPECT_EQ(Samples("/R.x"), "5 15");
}

// ---- Invalid sets

TEST_F(ClipSetDefinitionTest, SetsNeedAssetPathsActiveAndPrimPath) {
  Write("strong.usda",
        With("dictionary one = { double2[] active = [(0, 0)]; string primPath = \"/C\"; }"));
  EXPECT_EQ(At("/R.x", {0}), "-");
  Write("strong.usda",
        With("dictionary one = { asset[] assetPaths = [@./a.usda@]; string primPath = \"/C\"; }"));
  EXPECT_EQ(At("/R.x", {0}), "-");
  Write(
      "strong.usda",
      With("dictionary one = { asset[] assetPaths = [@./a.usda@]; double2[] active = [(0, 0)]; }"));
  EXPECT_EQ(At("/R.x", {0}), "-");
}

TEST_F(ClipSetDefinitionTest, PrimPathsMustBePathsOfPrims) {
  Write("strong.usda", With(WithPrimPath("/C")));
  EXPECT_EQ(At("/R.x", {0}), "1");
  Write("strong.usda", With(WithPrimPath("/C.x")));
  EXPECT_EQ(At("/R.x", {0}), "-");
  Write("strong.usda", With(WithPrimPath("C")));
  EXPECT_EQ(At("/R.x", {0}), "-");
  Write("strong.usda", With(WithPrimPath("/")));
  EXPECT_EQ(At("/R.x", {0}), "-");
  Write("strong.usda", With(WithPrimPath("")));
  EXPECT_EQ(At("/R.x", {0}), "-");
}

TEST_F(ClipSetDefinitionTest, EmptyAssetPathsInvalidateTheSet) {
  Write("strong.usda", With(R"(dictionary one = {
    asset[] assetPaths = [@./a.usda@, @@]
    double2[] active = [(0, 0)]
    string primPath = "/C"
  })"));
  EXPECT_EQ(At("/R.x", {0}), "-");
}

TEST_F(ClipSetDefinitionTest, EntriesOfTheWrongTypeAreIgnored) {
  Write("strong.usda", With(R"(dictionary one = {
    string[] assetPaths = ["./a.usda"]
    double2[] active = [(0, 0)]
    string primPath = "/C"
  })"));
  EXPECT_EQ(At("/R.x", {0}), "-");
}

// It still hides the entry of the weaker layer.
TEST_F(ClipSetDefinitionTest, EntriesOfTheWrongTypeHideWeakerOnes) {
  Write("weak.usda", With(Set("one", "a")));
  EXPECT_EQ(At("/R.x", {0}), "1");
  Write("strong.usda", With("dictionary one = { float2[] active = [(0, 0)]; }"));
  EXPECT_EQ(At("/R.x", {0}), "-");
}

TEST_F(ClipSetDefinitionTest, AssetPathsBeatTemplates) {
  Write("t.1.usda", "def \"C\" { double x.timeSamples = { 0: 70 }; }\n");
  Write("strong.usda", With(Set("one", "a", R"(
    string templateAssetPath = "./t.#.usda"
    double templateStartTime = 1
    double templateEndTime = 1
    double templateStride = 1
  )")));
  EXPECT_EQ(At("/R.x", {0}), "1");
}

TEST_F(ClipSetDefinitionTest, ManifestsMayComeFromAnotherLayer) {
  Write("m.usda", "def \"C\" { double other; }\n");
  Write("weak.usda", With(Set("one", "a")));
  Write("strong.usda", With("dictionary one = { asset manifestAssetPath = @./m.usda@; }"));
  EXPECT_EQ(At("/R.x", {0}), "-");
}

TEST_F(ClipSetDefinitionTest, EntriesThatAreNotDictionariesAreIgnored) {
  Write("strong.usda", With(Concat("string one = \"none\"\n", Set("two", "b"))));
  Write("weak.usda", With(Set("one", "a")));
  EXPECT_EQ(At("/R.x", {0}), "2");
}

TEST_F(ClipSetDefinitionTest, DictionariesInPlaceOfEntriesHideWeakerOnes) {
  Write("weak.usda", With(Set("one", "a")));
  EXPECT_EQ(At("/R.x", {0}), "1");
  Write("strong.usda", With("dictionary one = {\n dictionary active = { int a = 1; }\n}\n"));
  EXPECT_EQ(At("/R.x", {0}), "-");
}

TEST_F(ClipSetDefinitionTest, TemplatesNeedAPrimPath) {
  Write("t.1.usda", "def \"C\" { double x.timeSamples = { 0: 7 }; }\n");
  const std::string pattern =
      "string templateAssetPath = \"./t.#.usda\"\n double templateStartTime = 1\n"
      " double templateEndTime = 1\n double templateStride = 1\n";
  Write("strong.usda", With(Concat("dictionary one = {\n", pattern, "}\n")));
  EXPECT_EQ(At("/R.x", {0}), "-");
  Write("strong.usda",
        With(Concat("dictionary one = {\n string primPath = \"/C\"\n", pattern, "}\n")));
  EXPECT_EQ(At("/R.x", {0}), "7");
}

TEST_F(ClipSetDefinitionTest, RequestsThatEndDoNotOpenStagesWithIncompleteSets) {
  std::string sets;
  for (int i = 0; i < 100; ++i) sets += Set(Concat("s", 100 + i), i == 50 ? "b" : "a");
  Write("strong.usda", With(sets));
  Write("weak.usda", With(Set("s150", "c"), "prepend clipSets = [\"s150\"]"));
  ASSERT_EQ(At("/R.x", {0}), "2");
  int opened = 0;
  for (uint64_t steps = 64; steps < 20000; steps += 500) {
    RequestContext few(RequestContext::Clock::time_point::max(), {.max_steps = steps});
    StageOptions options;
    options.root = "/root.usda";
    const auto stage = Stage::Open(few, scene_.environment(), options);
    EXPECT_EQ(stage.ok(), !few.failed()) << steps;
    if (!stage.ok()) continue;
    ++opened;
    const Property x = (*stage)->FindProperty(P("/R.x"));
    EXPECT_EQ(Text(Attribute(x).Get(scene_.context(), TimeCode::At(0))), "2") << steps;
  }
  EXPECT_GT(opened, 0);
  EXPECT_LT(opened, 39);
}

}  // namespace
}  // namespace stagedoor

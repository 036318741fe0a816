// Rules of flattening stages and root layer stacks. Expected results come from OpenUSD.
#include <string>
#include <string_view>

#include "base/strings.h"
#include "gtest/gtest.h"
#include "scene/export/flatten.h"
#include "scene/export/flatten_layer_stack.h"
#include "scene/testing/answers_fixture.h"
#include "scene/usda/usda_writer.h"

namespace stagedoor {
namespace {

// The text of a layer on one line.
std::string OneLine(const Layer& layer) {
  const std::string text = WriteUsda(layer);
  std::string line;
  for (const char c : text.substr(text.find('\n') + 1)) {
    const char blank = c == '\n' ? ' ' : c;
    if (blank != ' ' || (!line.empty() && line.back() != ' ')) line += blank;
  }
  if (!line.empty() && line.back() == ' ') line.pop_back();
  return line;
}

class FlattenRulesTest : public AnswersTest {
 protected:
  std::string Flat() {
    const auto flat = FlattenStage(scene_.context(), stage(), {});
    EXPECT_TRUE(flat.ok()) << flat.status();
    return flat.ok() ? OneLine(**flat) : std::string();
  }
  std::string FlatStack() {
    const auto flat = FlattenLayerStack(scene_.context(), stage(), Layer::Info());
    EXPECT_TRUE(flat.ok()) << flat.status();
    return flat.ok() ? OneLine(**flat) : std::string();
  }
};

// ---- Stages

TEST_F(FlattenRulesTest, OpinionsBehindArcsBecomeLocal) {
  Write("model.usda", "def Xform \"M\" {\n double x = 1\n def \"B\" { double y = 2; }\n}\n");
  Write("root.usda", "def \"A\" (references = @./model.usda@</M>) { double x = 3; }\n");
  EXPECT_EQ(Flat(), "def Xform \"A\" { double x = 3 def \"B\" { double y = 2 } }");
}

TEST_F(FlattenRulesTest, InactivePrimsAreLeftOut) {
  Write("root.usda", "def \"A\" {\n def \"B\" (active = false) {}\n def \"C\" {}\n}\n");
  EXPECT_EQ(Flat(), "def \"A\" { def \"C\" { } }");
}

TEST_F(FlattenRulesTest, OversAndClassesKeepTheirSpecifier) {
  Write("root.usda", "over \"A\" { double x = 1; }\nclass \"B\" {}\n");
  EXPECT_EQ(Flat(), "over \"A\" { double x = 1 } class \"B\" { }");
}

TEST_F(FlattenRulesTest, SamplesAndTimeCodesAreInStageTime) {
  Write("model.usda", R"(
def "M" {
  timecode t = 3
  timecode t.timeSamples = { 1: 4 }
  double x.timeSamples = { 1: 1, 2: None }
}
)");
  Write("root.usda", "def \"A\" (references = @./model.usda@</M> (offset = 10; scale = 2)) {}\n");
  EXPECT_EQ(Flat(),
            "def \"A\" { timecode t = 16 timecode t.timeSamples = { 12: 18, } double x.timeSamples "
            "= { 12: 1, 14: None, } }");
}

// ---- Path expressions

constexpr std::string_view kExpressions = R"(
def "M" (
  customData = {
    pathExpression p = "/M/B + %_ + C"
    pathExpression[] a = ["/M/B", "C", "%_"]
    dictionary d = { pathExpression p = "/M/B + /Other" }
  }
)
{
  pathExpression p = "B//{isa:Gprim} - /M/C + /Other"
  pathExpression c = "%/M:c + %_ + %/Other:c"
  pathExpression[] a = ["/M/B", "B", "/Other", "%_"]
  pathExpression s.timeSamples = { 1: "/M/B + B + %_", 2: None }
  pathExpression w = "/M/B"
  pathExpression blocked = "/M/B"
}
)";

TEST_F(FlattenRulesTest, PathExpressionsAreInTheNamespaceOfTheStage) {
  Write("model.usda", kExpressions);
  Write("root.usda", R"(
def "A" (references = @./model.usda@</M>) {
  pathExpression w = "%_ + X"
  pathExpression blocked = None
}
)");
  EXPECT_EQ(
      Flat(),
      "def \"A\" ( customData = { pathExpression[] a = [\"/A/B\", \"\", \"%_\"] dictionary d = { "
      "pathExpression p = \"/A/B\" } pathExpression p = \"/A/B\" } ) { pathExpression p = "
      "'/A/B//{isa:\"Gprim\"} - /A/C' pathExpression c = \"%/A:c\" pathExpression[] a = "
      "[\"/A/B\", \"/A/B\", \"\", \"%_\"] pathExpression s.timeSamples = { 1: \"/A/B\", 2: None, } "
      "pathExpression w = \"/A/B + /A/X\" pathExpression blocked = None }");
}

TEST_F(FlattenRulesTest, PathExpressionsInPrototypesAreInTheirNamespace) {
  Write("model.usda", "def \"M\" {\n def \"B\" { pathExpression p = \"/M/B//\"; }\n}\n");
  Write("root.usda", "def \"A\" (instanceable = true; references = @./model.usda@</M>) {}\n");
  EXPECT_EQ(
      Flat(),
      "over \"Flattened_Prototype_1\" { def \"B\" { pathExpression p = "
      "\"/Flattened_Prototype_1/B//\" } } def \"A\" ( instanceable = true append references = "
      "</Flattened_Prototype_1> ) { }");
}

TEST_F(FlattenRulesTest, PathExpressionsInClipsAreInTheNamespaceOfTheStage) {
  Write("clip.usda", "def \"M\" { pathExpression p.timeSamples = { 0: \"/M/B + /C/D + %_\" }; }\n");
  Write("manifest.usda", "over \"M\" { pathExpression p; }\n");
  Write("model.usda", R"(
def "M" (
  clips = {
    dictionary default = {
      asset[] assetPaths = [@./clip.usda@]
      asset manifestAssetPath = @./manifest.usda@
      string primPath = "/M"
      double2[] active = [(0, 0)]
    }
  }
)
{
  pathExpression p
}
)");
  Write("root.usda", "def \"A\" (references = @./model.usda@</M>) {}\n");
  EXPECT_EQ(Flat(), "def \"A\" { pathExpression p.timeSamples = { 0: \"/A/B\", } }");
}

// ---- Blocks and edits

TEST_F(FlattenRulesTest, DefaultsWithoutAValueAreBlocks) {
  Write("weak.usda",
        "def \"A\" {\n int[] edit = None\n int[] animation.timeSamples = { 1: [2] }\n}\n");
  Write("root.usda", R"(
(subLayers = [@./weak.usda@])
def Mesh "A" {
  int[] edit = edit [append 6]
  int[] animation = AnimationBlock
  uniform token subdivisionScheme = AnimationBlock
}
)");
  EXPECT_EQ(Flat(),
            "def Mesh \"A\" { int[] edit = None int[] animation = None uniform token "
            "subdivisionScheme = \"catmullClark\" }");
}

TEST_F(FlattenRulesTest, EditsAreComposedAtTheSamplesOfAllLayers) {
  Write("weak.usda", "def \"A\" { int[] x.timeSamples = { 1: [7], 2: [8], 4: [9] }; }\n");
  Write("root.usda", R"(
(subLayers = [@./weak.usda@])
def "A" {
  int[] x.timeSamples = { 0: edit [append 5], 3: [6] }
}
)");
  EXPECT_EQ(Flat(),
            "def \"A\" { int[] x.timeSamples = { 0: [7, 5], 1: [7, 5], 2: [8, 5], 3: [6], } }");
}

// ---- Strength

TEST_F(FlattenRulesTest, WeakerAnimationIsHiddenByAStrongerDefault) {
  Write("model.usda", "def \"M\" {\n double x.timeSamples = { 1: 1 }\n double y = 2\n}\n");
  Write("root.usda",
        "def \"A\" (references = @./model.usda@</M>) { double x = 3; double "
        "y.timeSamples = { 1: 4 }; }\n");
  EXPECT_EQ(Flat(), "def \"A\" { double x = 3 double y = 2 double y.timeSamples = { 1: 4, } }");
}

TEST_F(FlattenRulesTest, BlocksStay) {
  Write("model.usda", "def \"M\" {\n double x = 1\n double y.timeSamples = { 1: 4 }\n}\n");
  Write("root.usda",
        "def \"A\" (references = @./model.usda@</M>) { double x = None; double y = "
        "None; }\n");
  EXPECT_EQ(Flat(), "def \"A\" { double x = None double y = None }");
}

TEST_F(FlattenRulesTest, TargetsAndConnectionsAreInStageNamespace) {
  Write("model.usda",
        "def \"M\" {\n rel none = None\n rel r = </M/B>\n double x.connect = </M/B.y>\n "
        "def \"B\" { double y; }\n}\n");
  Write("root.usda", "def \"A\" (references = @./model.usda@</M>) {}\n");
  EXPECT_EQ(
      Flat(),
      "def \"A\" { rel none rel r = </A/B> double x.connect = </A/B.y> def \"B\" { double y } }");
}

TEST_F(FlattenRulesTest, UniformAndCustomStay) {
  Write("root.usda", "def \"A\" { custom rel r; uniform double x = 1; custom double y = 2; }\n");
  EXPECT_EQ(Flat(), "def \"A\" { custom rel r uniform double x = 1 custom double y = 2 }");
}

TEST_F(FlattenRulesTest, ListOpsBecomeExplicit) {
  Write("model.usda", "def \"M\" (prepend apiSchemas = [\"CollectionAPI:m\"]) {}\n");
  Write("root.usda",
        "def \"A\" (\n references = @./model.usda@</M>\n prepend apiSchemas = "
        "[\"CollectionAPI:a\"]\n) {}\n");
  EXPECT_EQ(Flat(), "def \"A\" ( apiSchemas = [\"CollectionAPI:a\", \"CollectionAPI:m\"] ) { }");
}

TEST_F(FlattenRulesTest, ClipsBecomeSamples) {
  Write("c.usda", "def \"C\" { double x.timeSamples = { 1: 1, 2: 2 }; }\n");
  Write("root.usda", R"(
def "A" (
  clips = { dictionary default = {
    asset[] assetPaths = [@./c.usda@]
    double2[] active = [(1, 0)]
    string primPath = "/C"
  } }
  clipSets = ["default"]
) { double x; }
)");
  EXPECT_EQ(Flat(), "def \"A\" { double x.timeSamples = { 1: 1, 2: 2, } }");
}

TEST_F(FlattenRulesTest, SelectedVariantsAreFlattenedWithoutSelections) {
  Write("root.usda", R"(
def "A" (
  variants = { string v = "b"; }
  prepend variantSets = "v"
) {
  variantSet "v" = {
    "a" { double x = 1; }
    "b" { double x = 2; }
  }
}
)");
  EXPECT_EQ(Flat(), "def \"A\" { double x = 2 }");
}

// ---- Layer stacks

TEST_F(FlattenRulesTest, LayersOfAStackMergeAndArcsStay) {
  Write("weak.usda",
        "def Xform \"A\" (prepend inherits = </W>) {\n double w = 1\n double x = 1\n}\n"
        "class \"W\" {}\n");
  Write("root.usda",
        "(subLayers = [@./weak.usda@])\nover \"A\" (prepend inherits = </S>) { double x = "
        "2; }\nclass \"S\" {}\n");
  EXPECT_EQ(FlatStack(),
            "def Xform \"A\" ( prepend inherits = [ </S>, </W> ] ) { double w = 1 double x = 2 } "
            "class \"W\" { } class \"S\" { }");
}

TEST_F(FlattenRulesTest, OffsetsOfSublayersMapTimesOfSamplesArcsAndTimeCodes) {
  Write("weak.usda", R"(
def "A" (prepend inherits = </W>) {
  timecode t = 3
  double x.timeSamples = { 1: 1 }
}
class "W" {}
)");
  Write("root.usda", "(subLayers = [@./weak.usda@ (offset = 10; scale = 2)])\n");
  EXPECT_EQ(FlatStack(),
            "def \"A\" ( prepend inherits = </W> ) { timecode t = 16 double x.timeSamples = { 12: "
            "1, } } class \"W\" { }");
}

TEST_F(FlattenRulesTest, TheStrongestDefiningSpecifierIsWritten) {
  Write("weak.usda", "class \"A\" {}\ndef \"B\" {}\ndef Cube \"C\" {}\n");
  Write("root.usda", "(subLayers = [@./weak.usda@])\ndef \"A\" {}\nover \"B\" {}\nover \"C\" {}\n");
  EXPECT_EQ(FlatStack(), "def \"A\" { } def \"B\" { } def Cube \"C\" { }");
}

TEST_F(FlattenRulesTest, ListOpsOfLayersStayListOps) {
  Write("weak.usda",
        "def \"A\" (\n prepend apiSchemas = [\"W\", \"X\"]\n) { prepend rel r = </W>; }\n");
  Write("root.usda",
        "(subLayers = [@./weak.usda@])\nover \"A\" (\n append apiSchemas = [\"S\"]\n delete "
        "apiSchemas = [\"X\"]\n) { delete rel r = </W>; }\n");
  EXPECT_EQ(FlatStack(),
            "def \"A\" ( delete apiSchemas = [\"X\"] prepend apiSchemas = [\"W\"] append "
            "apiSchemas = [\"S\"] ) { delete rel r = </W> }");
}

TEST_F(FlattenRulesTest, AddedItemsBecomeAppendedOnes) {
  Write("weak.usda", "def \"A\" (\n prepend apiSchemas = [\"W\"]\n) {}\n");
  Write("root.usda",
        "(subLayers = [@./weak.usda@])\nover \"A\" (\n add apiSchemas = [\"S\"]\n) {}\n");
  EXPECT_EQ(FlatStack(),
            "def \"A\" ( prepend apiSchemas = [\"W\"] append apiSchemas = [\"S\"] ) { }");
}

TEST_F(FlattenRulesTest, SelectionsOfLayersMerge) {
  Write("weak.usda", "def \"A\" (variants = { string v = \"w\"; string x = \"w\"; }) {}\n");
  Write("root.usda",
        "(subLayers = [@./weak.usda@])\nover \"A\" (variants = { string v = \"s\"; }) {}\n");
  EXPECT_EQ(FlatStack(), "def \"A\" ( variants = { string v = \"s\" string x = \"w\" } ) { }");
}

TEST_F(FlattenRulesTest, TimeCodesInDictionariesAreMapped) {
  Write("weak.usda", "def \"A\" (customData = { timecode t = 3; }) {}\n");
  Write("root.usda", "(subLayers = [@./weak.usda@ (offset = 10)])\n");
  EXPECT_EQ(FlatStack(), "def \"A\" ( customData = { timecode t = 13 } ) { }");
}

TEST_F(FlattenRulesTest, DictionariesOfLayersMerge) {
  Write("weak.usda", "def \"A\" (customData = { int a = 1; int b = 1; }) {}\n");
  Write("root.usda",
        "(subLayers = [@./weak.usda@ (offset = 10)])\nover \"A\" (customData = { int a = "
        "2; }) {}\n");
  EXPECT_EQ(FlatStack(), "def \"A\" ( customData = { int a = 2 int b = 1 } ) { }");
}

TEST_F(FlattenRulesTest, HiddenAnimationIsNotWritten) {
  Write("weak.usda",
        "def \"A\" {\n double x.timeSamples = { 1: 1 }\n double y.timeSamples = { 1: 1 }\n "
        "double z = 1\n}\n");
  Write("root.usda",
        "(subLayers = [@./weak.usda@])\nover \"A\" {\n double x = 2\n double "
        "y.timeSamples = { 2: 2 }\n double z.timeSamples = { 2: 2 }\n}\n");
  EXPECT_EQ(FlatStack(),
            "def \"A\" { double x = 2 double y.timeSamples = { 2: 2, } double z = 1 double "
            "z.timeSamples = { 2: 2, } }");
}

TEST_F(FlattenRulesTest, ClipTimesOfSublayersAreMapped) {
  Write("weak.usda", R"(
def "A" (
  clips = { dictionary default = {
    double2[] active = [(1, 0)]
    double2[] times = [(1, 1), (2, 2)]
    double templateStartTime = 1
  } }
) {}
)");
  Write("root.usda", "(subLayers = [@./weak.usda@ (offset = 10; scale = 2)])\n");
  EXPECT_EQ(FlatStack(),
            "def \"A\" ( clips = { dictionary default = { double2[] active = [(12, 0)] double "
            "templateStartTime = 1 double2[] times = [(12, 1), (14, 2)] } } ) { }");
}

TEST_F(FlattenRulesTest, ReordersApplyLayerByLayer) {
  Write("weak.usda",
        "reorder rootPrims = [\"B\", \"A\"]\ndef \"A\" {}\ndef \"B\" {}\ndef \"C\" {}\n");
  Write("root.usda",
        "(subLayers = [@./weak.usda@])\nreorder rootPrims = [\"C\", \"B\"]\nover \"D\" {}\n");
  EXPECT_EQ(FlatStack(),
            "reorder rootPrims = [\"C\", \"B\"] def \"C\" { } def \"A\" { } over \"D\" { } def "
            "\"B\" { }");
}

}  // namespace
}  // namespace stagedoor

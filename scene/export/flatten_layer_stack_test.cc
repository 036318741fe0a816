#include "scene/export/flatten_layer_stack.h"

#include <string>
#include <utility>

#include "gtest/gtest.h"
#include "scene/layer/field_keys.h"
#include "scene/testing/test_scene.h"
#include "scene/usda/usda_writer.h"
#include "scene/values/list_op.h"
#include "scene/values/reference.h"

namespace stagedoor {
namespace {

class FlattenLayerStackTest : public testing::Test {
 protected:
  void Flatten(StageOptions options = {}) {
    stage_ = scene_.Open("root.usda", std::move(options));
    ASSERT_NE(stage_, nullptr);
    auto layer = FlattenLayerStack(scene_.context(), *stage_, {.identifier = "/flat.usda"});
    ASSERT_TRUE(layer.ok()) << layer.status();
    layer_ = *std::move(layer);
    text_ = WriteUsda(*layer_);
  }
  // Expects the layer's text to contain `line`, which may span lines.
  void ExpectHas(std::string_view line) {
    EXPECT_NE(text_.find(line), std::string::npos) << line << "\n-- is not in --\n" << text_;
  }
  void ExpectLacks(std::string_view line) {
    EXPECT_EQ(text_.find(line), std::string::npos) << line << "\n-- is in --\n" << text_;
  }

  TestScene scene_;
  std::shared_ptr<const Stage> stage_;
  std::shared_ptr<const Layer> layer_;
  std::string text_;
};

TEST_F(FlattenLayerStackTest, SublayersAreMergedAndArcsStay) {
  scene_.Write("root.usda", R"(
(
  subLayers = [@./sub/a.usda@, @./b.usda@]
  customLayerData = { int r = 1 }
)
over "P" (
  kind = "component"
  add apiSchemas = ["Added"]
  variants = { string v = "a" }
) {
  add rel target = </A>
  int z
  variantSet "v" = {
    "a" {
      int va = 1
    }
  }
}
def "Z" {
}
)");
  scene_.Write("sub/a.usda", R"(
(
  defaultPrim = "P"
  customLayerData = { int r = 2
    int s = 3 }
)
class "P" (
  prepend references = [@./ref.usda@</R>, </Z>]
  prepend apiSchemas = ["Pre"]
  variants = { string v = "b"
    string w = "c" }
  prepend variantSets = "v"
) {
  rel target = [</B>, </C>]
  reorder rel edited = [</B>, </C>]
  float conn
  prepend float conn.connect = </P.z>
  variantSet "v" = {
    "a" {
      int va = 2
      int vb = 3
    }
    "b" (
      doc = "in b"
    ) {
      def "Child" {
      }
    }
  }
}
)");
  scene_.Write("b.usda", R"(
def Xform "P" (prepend inherits = </I>) {
  append rel target = </D>
  append rel edited = </D>
  float conn.connect = </P.q>
  uniform int z = 5
}
)");
  Flatten();
  ExpectLacks("subLayers");
  ExpectHas("int r = 1\n        int s = 3");
  ExpectHas("defaultPrim = \"P\"");
  ExpectHas("class Xform \"P\"");
  ExpectHas("prepend apiSchemas = [\"Pre\"]\n    append apiSchemas = [\"Added\"]");
  ExpectHas("prepend inherits = </I>");
  ExpectHas("string v = \"a\"\n        string w = \"c\"");
  ExpectHas("rel target = [\n        </B>,\n        </C>,\n        </A>,\n    ]");
  ExpectHas("append rel edited = </D>");
  ExpectLacks("reorder rel");
  ExpectHas("float conn.connect = [\n        </P.z>,\n        </P.q>,\n    ]");
  ExpectHas("int z = 5");
  ExpectHas("doc = \"in b\"");
  EXPECT_NE(layer_->tree().Find(P("/P{v=b}Child")), kNoSpec);
  EXPECT_EQ(layer_->Get(layer_->tree().Find(P("/P{v=a}.va")), Fields().default_), Value(1));
  EXPECT_EQ(layer_->Get(layer_->tree().Find(P("/P{v=a}.vb")), Fields().default_), Value(3));
  const auto references =
      layer_->GetAs<ListOp<Reference>>(layer_->tree().Find(P("/P")), Fields().references);
  ASSERT_TRUE(references);
  ASSERT_EQ(references->prepended.size(), 2u);
  EXPECT_EQ(references->prepended[0].asset, "/sub/ref.usda");
  EXPECT_EQ(references->prepended[1].asset, "");
}

TEST_F(FlattenLayerStackTest, OffsetsMapAllTimes) {
  scene_.Write("root.usda", "(subLayers = [@a.usda@ (offset = 10; scale = 2)])\n");
  scene_.Write("a.usda", R"(
def "P" (
  prepend payload = @./pay.usda@ (offset = 1; scale = 3)
  customData = { timecode t = 5 }
  clips = {
    dictionary default = {
      double2[] active = [(1, 0)]
      double2[] times = [(1, 0), (5, 4)]
      string templateAssetPath = "./c.#.usda"
    }
  }
) {
  double samples.timeSamples = { 1: 2, 3: 4 }
  timecode code = 5
  timecode[] codes = [1, 2]
  double curve.spline = {
    1: 2; post curve (1, 1),
    3: 4; pre (1, 0),
  }
}
)");
  Flatten();
  ExpectHas("12: 2,\n        16: 4,");
  ExpectHas("timecode code = 20");
  ExpectHas("timecode[] codes = [12, 14]");
  ExpectHas("timecode t = 20");
  ExpectHas("@/pay.usda@ (offset = 12; scale = 6)");
  ExpectHas("double2[] active = [(12, 0)]");
  ExpectHas("double2[] times = [(12, 0), (20, 4)]");
  ExpectHas("templateAssetPath = \"/c.#.usda\"");
  ExpectHas("12: 2; post curve (2, 0.5)");
}

TEST_F(FlattenLayerStackTest, ReferencesAreIdentifiedByTheirAuthoredOffset) {
  scene_.Write("root.usda", "(subLayers = [@a.usda@ (offset = 10), @b.usda@])\n");
  scene_.Write("a.usda", R"(
over "P" (
  delete references = </A> (offset = 1)
  append references = </B>
) {
}
)");
  scene_.Write("b.usda", R"(
def "P" (
  prepend references = [</A> (offset = 1), </A> (offset = 11), </B>]
) {
}
)");
  Flatten();
  ExpectHas("delete references = </A> (offset = 1)\n");
  ExpectHas("prepend references = </A> (offset = 11)\n");
  ExpectHas("append references = </B> (offset = 10)\n");
}

TEST_F(FlattenLayerStackTest, OffsetsOfSublayersApplyToAddedReferences) {
  scene_.Write("root.usda", "(subLayers = [@a.usda@ (offset = 10)])\n");
  scene_.Write("a.usda", "over \"P\" (add references = </A>) {\n}\n");
  Flatten();
  ExpectHas("add references = </A> (offset = 10)\n");
}

TEST_F(FlattenLayerStackTest, OffsetsOfSublayersApplyToReorderedReferences) {
  scene_.Write("root.usda", "(subLayers = [@a.usda@ (offset = 10)])\n");
  scene_.Write("a.usda", R"(
over "P" (
  add references = [</A>, </B>]
  reorder references = [</B>, </A>]
) {
}
)");
  Flatten();
  ExpectHas("add references = [\n        </A> (offset = 10),\n        </B> (offset = 10)\n    ]");
  ExpectHas(
      "reorder references = [\n        </B> (offset = 10),\n        </A> (offset = 10)\n    ]");
}

TEST_F(FlattenLayerStackTest, RelocatesOfAllLayersAreUnited) {
  scene_.Write("root.usda", R"((
  subLayers = [@a.usda@]
  relocates = { </P/A>: </P/X> }
)
)");
  scene_.Write("a.usda", "(relocates = { </P/A>: </P/Y>, </P/B>: </P/Z> })\n");
  Flatten();
  ExpectHas("</P/A>: </P/X>");
  ExpectHas("</P/B>: </P/Z>");
  ExpectLacks("</P/Y>");
}

TEST_F(FlattenLayerStackTest, AssetPathsAreAnchoredAndExpressionsEvaluated) {
  scene_.Write("root.usda", R"((
  subLayers = [@./sub/a.usda@]
  expressionVariables = { string X = "c" }
)
)");
  scene_.Write("sub/a.usda", R"(
def "P" (
  customData = { asset x = @./x.png@ }
) {
  asset one = @./one.png@
  asset[] many = [@./a.png@, @search.png@, @@]
  asset made = @`"./${X}.png"`@
  asset animated.timeSamples = { 1: @../a.png@, 2: None }
}
)");
  Flatten();
  ExpectHas("asset one = @/sub/one.png@");
  ExpectHas("asset[] many = [@/sub/a.png@, @search.png@, @@]");
  ExpectHas("asset made = @/sub/c.png@");
  ExpectHas("1: @/a.png@,\n        2: None,");
  ExpectHas("asset x = @/sub/x.png@");
}

TEST_F(FlattenLayerStackTest, OnlyVisibleAnimationIsWritten) {
  scene_.Write("root.usda", R"((subLayers = [@a.usda@, @b.usda@])
over "P" {
  double byDefault = 1
  double bySamples.timeSamples = { 1: 1 }
  double byBlock = None
  double animationOnly = AnimationBlock
  double bySpline.spline = {
    1: 2,
  }
}
)");
  scene_.Write("a.usda", R"(
def "P" {
  double byDefault.timeSamples = { 2: 2 }
  double bySamples.timeSamples = { 2: 2 }
  double byBlock.timeSamples = { 2: 2 }
  double animationOnly = 7
  double animationOnly.timeSamples = { 2: 2 }
  double bySpline.timeSamples = { 2: 2 }
}
)");
  scene_.Write("b.usda", "def \"P\" {\n  double bySamples = 3\n}\n");
  Flatten();
  EXPECT_EQ(text_.find("2: 2,"), std::string::npos) << text_;
  ExpectHas("double byDefault = 1");
  ExpectHas("double bySamples = 3");
  ExpectHas("1: 1,");
  ExpectHas("double byBlock = None");
  ExpectHas("double animationOnly = 7");
  ExpectHas("double bySpline.spline");
}

TEST_F(FlattenLayerStackTest, TheSessionLayerIsTheStrongest) {
  scene_.Write("root.usda", "def \"P\" {\n  int a = 1\n  int b = 2\n}\ndef \"Q\" {\n}\n");
  scene_.Write("session.usda",
               "reorder rootPrims = [\"Q\", \"P\"]\nover \"P\" {\n  int a = 5\n}\n");
  StageOptions options;
  options.session = "/session.usda";
  Flatten(std::move(options));
  ExpectHas("int a = 5");
  ExpectHas("int b = 2");
  EXPECT_LT(text_.find("def \"Q\""), text_.find("def \"P\""));
}

TEST_F(FlattenLayerStackTest, SpecsOfAnotherTypeAreIgnored) {
  scene_.Write("root.usda", "(subLayers = [@a.usda@])\nover \"P\" {\n  int mixed = 1\n}\n");
  scene_.Write("a.usda", "def \"P\" {\n  rel mixed = </P>\n}\n");
  Flatten();
  ExpectHas("int mixed = 1");
  ExpectLacks("rel mixed");
}

TEST_F(FlattenLayerStackTest, CancellationStopsFlattening) {
  scene_.Write("root.usda", "def \"P\" {\n}\n");
  stage_ = scene_.Open("root.usda");
  RequestContext context;
  context.Cancel();
  const auto layer = FlattenLayerStack(context, *stage_, {.identifier = "/flat.usda"});
  EXPECT_EQ(layer.status().code(), absl::StatusCode::kCancelled);
}

}  // namespace
}  // namespace stagedoor

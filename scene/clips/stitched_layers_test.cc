// Stitched layers and clips, and generated manifests, as text. Expected values come from UsdUtils
// and UsdClipsAPI.
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/strings.h"
#include "gtest/gtest.h"
#include "scene/clips/clip_manifest_builder.h"
#include "scene/clips/stitch_clips.h"
#include "scene/clips/stitch_layers.h"
#include "scene/testing/test_scene.h"
#include "scene/usda/usda_writer.h"

namespace stagedoor {
namespace {

// The text of a layer on one line.
std::string Flat(const Layer& layer) {
  const std::string text = WriteUsda(layer);
  std::string flat;
  for (const char c : text.substr(text.find('\n') + 1)) {
    const char blank = c == '\n' ? ' ' : c;
    if (blank != ' ' || (!flat.empty() && flat.back() != ' ')) flat += blank;
  }
  if (!flat.empty() && flat.back() == ' ') flat.pop_back();
  return flat;
}

class StitchedLayersTest : public testing::Test {
 protected:
  std::shared_ptr<const Layer> Open(const std::string& identifier) {
    const auto layer = scene_.layers().Open(scene_.context(), {}, identifier);
    EXPECT_TRUE(layer.ok()) << layer.status();
    return layer.ok() ? *layer : nullptr;
  }
  ClipOpener opener() {
    return [this](const std::string& clip) {
      return scene_.layers().Open(scene_.context(), {}, clip);
    };
  }
  void Write(std::string_view name, std::string_view text) { scene_.Write(name, text); }
  // The text of two layers stitched together.
  std::string Stitched(std::string_view strong, std::string_view weak) {
    const std::string number = Concat(++layers_);
    Write(number + "s.usda", strong);
    Write(number + "w.usda", weak);
    LayerBuilder builder(*Open("/" + number + "s.usda"));
    StitchLayers(scene_.context(), *Open("/" + number + "w.usda"), {}, &builder);
    return Flat(*std::move(builder).Build({}));
  }
  // The result of stitching "c1.usda" and "c2.usda".
  StitchedClips Stitch(StitchClipsOptions options = {}) {
    options.clips = {"/c1.usda", "/c2.usda"};
    options.output = "/out.usda";
    if (options.clip_path.empty()) options.clip_path = P("/A");
    auto stitched = StitchClips(scene_.context(), opener(), options);
    EXPECT_TRUE(stitched.ok()) << stitched.status();
    return stitched.ok() ? *std::move(stitched) : StitchedClips();
  }
  std::string Result() { return Flat(*Stitch().result); }
  std::string Topology() { return Flat(*Stitch().topology); }
  std::string StitchedManifest() { return Flat(*Stitch().manifest); }
  // With interpolation of missing values.
  std::string ResultFromTenToTwenty(std::string clip_set) {
    StitchClipsOptions options;
    options.clip_set = std::move(clip_set);
    options.start_time_code = 10;
    options.end_time_code = 20;
    options.interpolate_missing_clip_values = true;
    return Flat(*Stitch(options).result);
  }
  // A template from 1 to 2 by 1, active half a time code later.
  std::string ResultOfTemplate(std::string path) {
    StitchClipsOptions options;
    options.start_time_code = 1;
    options.end_time_code = 2;
    options.clip_template =
        StitchClipsOptions::Template{.path = std::move(path), .stride = 1, .active_offset = 0.5};
    return Flat(*Stitch(options).result);
  }
  // The manifest of "c1.usda" and "c2.usda".
  std::string Manifest(std::string_view prim) {
    const std::vector<std::shared_ptr<const Layer>> layers = {Open("/c1.usda"), Open("/c2.usda")};
    auto manifest = GenerateClipManifest(scene_.context(), layers, P(prim));
    EXPECT_TRUE(manifest.ok()) << manifest.status();
    return manifest.ok() ? Flat(*(*std::move(manifest)).Build({})) : std::string();
  }
  // The manifest, with blocks for clips without values. The clips are active from 0 and from 5 on.
  std::string ManifestWithBlocks(std::string_view prim) {
    ClipManifestBuilder builder(scene_.context(), P(prim), /*write_blocks=*/true);
    builder.Add(Open("/c1.usda").get(), 0);
    builder.Add(Open("/c2.usda").get(), 5);
    return Flat(*builder.Build().Build({}));
  }

  TestScene scene_;
  int layers_ = 0;
};

TEST_F(StitchedLayersTest, StrongerValuesStay) {
  EXPECT_EQ(Stitched("def \"A\" (kind = \"group\") { double x = 1; }",
                     "def \"A\" (kind = \"component\") { double x = 2; }"),
            "def \"A\" ( kind = \"group\" ) { double x = 1 }");
}

TEST_F(StitchedLayersTest, OpinionsOnlyInTheWeakerLayerAreAdded) {
  EXPECT_EQ(Stitched("def \"A\" { double x; }",
                     "def \"A\" (kind = \"component\") { double x = 2; double y = 3; }\n"
                     "def \"B\" { rel r = </A>; }"),
            "def \"A\" ( kind = \"component\" ) { double x = 2 double y = 3 } def \"B\" { rel r = "
            "</A> }");
}

TEST_F(StitchedLayersTest, OversYieldToTheWeakerSpecifier) {
  EXPECT_EQ(Stitched("over \"A\" {}", "def Xform \"A\" {}"), "def Xform \"A\" { }");
  EXPECT_EQ(Stitched("over \"A\" {}", "class \"A\" {}"), "class \"A\" { }");
  EXPECT_EQ(Stitched("def \"A\" {}", "over \"A\" {}"), "def \"A\" { }");
  EXPECT_EQ(Stitched("def \"A\" {}", "class \"A\" {}"), "class \"A\" { }");
}

TEST_F(StitchedLayersTest, DictionariesMerge) {
  EXPECT_EQ(
      Stitched("def \"A\" (customData = {\n int a = 1\n dictionary d = { int x = 1; }\n}) {}",
               "def \"A\" (customData = {\n int a = 2\n int b = 3\n dictionary d = { int x = 2"
               "; int y = 4; }\n}) {}"),
      "def \"A\" ( customData = { int a = 1 int b = 3 dictionary d = { int x = 1 int y = 4 } } ) { "
      "}");
}

TEST_F(StitchedLayersTest, SamplesMergeAndStrongerOnesStay) {
  EXPECT_EQ(Stitched("def \"A\" { double x.timeSamples = { 1: 1, 3: 3 }; }",
                     "def \"A\" { double x.timeSamples = { 0: 10, 3: 30, 4: 40 }; }"),
            "def \"A\" { double x.timeSamples = { 0: 10, 1: 1, 3: 3, 4: 40, } }");
}

TEST_F(StitchedLayersTest, TheRangeOfTimeCodesWidens) {
  EXPECT_EQ(Stitched("(\n startTimeCode = 3\n endTimeCode = 5\n)\n",
                     "(\n startTimeCode = 1\n endTimeCode = 9\n)\n"),
            "( endTimeCode = 9 startTimeCode = 1 )");
  EXPECT_EQ(Stitched("(\n startTimeCode = 1\n endTimeCode = 9\n)\n",
                     "(\n startTimeCode = 3\n endTimeCode = 5\n)\n"),
            "( endTimeCode = 9 startTimeCode = 1 )");
  EXPECT_EQ(Stitched("(\n startTimeCode = 3\n framesPerSecond = 24\n)\n",
                     "(\n endTimeCode = 9\n framesPerSecond = 30\n)\n"),
            "( endTimeCode = 9 framesPerSecond = 24 startTimeCode = 3 )");
}

TEST_F(StitchedLayersTest, ExplicitListsStay) {
  EXPECT_EQ(Stitched("def \"A\" (apiSchemas = [\"S\"]) {}",
                     "def \"A\" (prepend apiSchemas = [\"W\"]) {}"),
            "def \"A\" ( apiSchemas = [\"S\"] ) { }");
}

TEST_F(StitchedLayersTest, EditsApplyToWeakerExplicitLists) {
  EXPECT_EQ(
      Stitched("def \"A\" (\n prepend apiSchemas = [\"S\"]\n delete apiSchemas = [\"X\"]\n) {}",
               "def \"A\" (apiSchemas = [\"W\", \"X\"]) {}"),
      "def \"A\" ( apiSchemas = [\"S\", \"W\"] ) { }");
}

TEST_F(StitchedLayersTest, EditsOfBothLayersBecomeOneEdit) {
  EXPECT_EQ(
      Stitched("def \"A\" (\n prepend apiSchemas = [\"S\"]\n append apiSchemas = [\"T\"]\n) {}",
               "def \"A\" (\n prepend apiSchemas = [\"W\", \"T\"]\n append apiSchemas = [\"V\", "
               "\"S\"]\n delete apiSchemas = [\"X\"]\n) {}"),
      "def \"A\" ( delete apiSchemas = [\"X\"] prepend apiSchemas = [\"S\", \"W\"] append "
      "apiSchemas = [\"V\", \"T\"] ) { }");
}

TEST_F(StitchedLayersTest, TargetsAndArcsMerge) {
  EXPECT_EQ(Stitched("def \"A\" (prepend references = @./s.usda@) { prepend rel r = </S>; }",
                     "def \"A\" (prepend references = @./w.usda@) { prepend rel r = </W>; }"),
            "def \"A\" ( prepend references = [ @./s.usda@, @./w.usda@ ] ) { prepend rel r = [ "
            "</S>, </W>, ] }");
  EXPECT_EQ(
      Stitched("def \"A\" (prepend payload = @./s.usda@) { prepend double x.connect = </S.x>; }",
               "def \"A\" (prepend payload = @./w.usda@) { prepend double x.connect = </W.x>; }"),
      "def \"A\" ( prepend payload = [ @./s.usda@, @./w.usda@ ] ) { prepend double x.connect = [ "
      "</S.x>, </W.x>, ] }");
}

TEST_F(StitchedLayersTest, VariantsMerge) {
  EXPECT_EQ(Stitched(R"(
def "A" (
  variants = { string a = "s"; }
  prepend variantSets = "a"
) {
  variantSet "a" = {
    "s" { double x = 1; }
  }
}
)",
                     R"(
def "A" (
  variants = { string a = "w"; string b = "w"; }
  prepend variantSets = "b"
) {
  variantSet "a" = {
    "s" { double y = 1; }
    "w" { double x = 2; }
  }
}
)"),
            "def \"A\" ( variants = { string a = \"s\" string b = \"w\" } prepend variantSets = "
            "[\"a\", \"b\"] ) { variantSet \"a\" = { \"s\" { double x = 1 double y = 1 } \"w\" { "
            "double x = 2 } } }");
}

TEST_F(StitchedLayersTest, NewSpecsComeLast) {
  EXPECT_EQ(Stitched("def \"C\" {}\ndef \"A\" {}", "def \"B\" {}\ndef \"A\" {}\ndef \"D\" {}"),
            "def \"C\" { } def \"A\" { } def \"B\" { } def \"D\" { }");
}

// ---- Manifests

TEST_F(StitchedLayersTest, ManifestsListAttributesWithSamples) {
  Write("c1.usda", R"(
def "A" {
  double still = 1
  uniform double u.timeSamples = { 0: 1 }
  double x.timeSamples = { 0: 1 }
  rel r = </A>
  def "B" {
    float3[] y.timeSamples = { 0: [(1, 2, 3)] }
  }
}
def "Other" { double x.timeSamples = { 0: 1 }; }
)");
  Write("c2.usda",
        "def \"A\" { double z.timeSamples = { 0: 1 }; double x.timeSamples = { 0: 1 }; }");
  EXPECT_EQ(Manifest("/A"),
            "over \"A\" { uniform double u double x double z over \"B\" { float3[] y } }");
  EXPECT_EQ(Manifest("/A/B"), "over \"A\" { over \"B\" { float3[] y } }");
  EXPECT_EQ(Manifest("/Nowhere"), "");
}

TEST_F(StitchedLayersTest, ManifestsListVariants) {
  Write("c1.usda", R"(
def "A" (
  variants = { string v = "one"; }
  prepend variantSets = "v"
) {
  variantSet "v" = {
    "one" { double x.timeSamples = { 0: 1 }; }
    "two" { double x.timeSamples = { 0: 1 }; }
  }
}
)");
  Write("c2.usda", "");
  EXPECT_EQ(Manifest("/A"),
            "over \"A\" ( prepend variantSets = \"v\" ) { variantSet \"v\" = { \"one\" { double x "
            "} \"two\" { double x } } }");
}

TEST_F(StitchedLayersTest, BlocksMarkClipsWithoutValues) {
  Write("c1.usda",
        "def \"A\" { double x.timeSamples = { 0: 1 }; double y.timeSamples = { 0: 1 }; }");
  Write("c2.usda",
        "def \"A\" { double x.timeSamples = { 0: 1 }; double z.timeSamples = { 0: 1 }; }");
  EXPECT_EQ(ManifestWithBlocks("/A"),
            "over \"A\" { double x double y.timeSamples = { 5: None, } double z.timeSamples = { 0: "
            "None, } }");
}

// ---- Clips

constexpr std::string_view kFirst = R"((
  startTimeCode = 1
  endTimeCode = 3
)
def "A" {
  double still = 4
  double x = 7
  double x.timeSamples = { 1: 1, 3: 3 }
}
)";
constexpr std::string_view kSecond = R"((
  startTimeCode = 4
  endTimeCode = 4
)
def "A" {
  double x.timeSamples = { 4: 4 }
  double y.timeSamples = { 4: 5 }
}
)";

TEST_F(StitchedLayersTest, EachClipIsActiveFromItsStartOn) {
  Write("c1.usda", kFirst);
  Write("c2.usda", kSecond);
  EXPECT_EQ(
      Result(),
      "( endTimeCode = 4 startTimeCode = 1 subLayers = [ @./out.topology.usda@ ] ) over \"A\" ( "
      "clips = { dictionary default = { double2[] active = [(1, 0), (4, 1)] asset[] assetPaths = "
      "[@./c1.usda@, @./c2.usda@] asset manifestAssetPath = @./out.manifest.usda@ string primPath "
      "= \"/A\" double2[] times = [(1, 1), (3, 3), (4, 4)] } } ) { }");
}

TEST_F(StitchedLayersTest, ResultsAreAnonymousAndNamedAfterTheOutput) {
  Write("c1.usda", kFirst);
  Write("c2.usda", kSecond);
  const StitchedClips stitched = Stitch();
  EXPECT_EQ(stitched.result->identifier(), "/out.usda");
  EXPECT_EQ(stitched.manifest->identifier(), "/out.manifest.usda");
  EXPECT_EQ(stitched.topology->identifier(), "/out.topology.usda");
  for (const auto& layer : {stitched.result, stitched.manifest, stitched.topology}) {
    EXPECT_TRUE(layer->info().anonymous);
    EXPECT_EQ(layer->info().resolved_path, "");
  }
}

TEST_F(StitchedLayersTest, TheTopologyHasEverythingButSamples) {
  Write("c1.usda", kFirst);
  Write("c2.usda", kSecond);
  EXPECT_EQ(
      Topology(),
      "( endTimeCode = 4 startTimeCode = 1 ) def \"A\" { double still = 4 double x = 7 double y }");
}

// The animation is that of the clips. A spline in the topology would hide them.
TEST_F(StitchedLayersTest, TheTopologyHasNoSplines) {
  Write("c1.usda", "def \"A\" { double x = 3; double x.spline = { 1: 2 }; }");
  Write("c2.usda", "def \"A\" { double x.spline = { 1: 4 }; double y.spline = { 1: 5 }; }");
  EXPECT_EQ(Topology(), "def \"A\" { double x = 3 double y }");
}

// As OpenUSD's text writer, which leaves out orders of a single child.
TEST_F(StitchedLayersTest, TextHasOrdersOfSeveralChildrenOnly) {
  Write("c1.usda", R"(
reorder rootPrims = ["A"]
def "A" {
  reorder nameChildren = ["b"]
  reorder properties = ["y"]
  double x
}
)");
  Write("c2.usda", R"(
def "A" {
  def "B" {
    reorder nameChildren = ["b", "a"]
  }
}
)");
  EXPECT_EQ(Topology(),
            "def \"A\" { double x def \"B\" { reorder nameChildren = [\"b\", \"a\"] } }");
  StitchClipsOptions options;
  options.clips = {"/c1.usda"};
  options.output = "/out.usdc";
  options.clip_path = P("/A");
  const auto stitched = StitchClips(scene_.context(), opener(), options);
  ASSERT_TRUE(stitched.ok()) << stitched.status();
  EXPECT_EQ(
      Flat(*stitched->topology),
      "reorder rootPrims = \"A\" def \"A\" { reorder properties = \"y\" reorder nameChildren = "
      "\"b\" double x }");
}

TEST_F(StitchedLayersTest, TheManifestHasTheDefaultsOfTheTopology) {
  Write("c1.usda", kFirst);
  Write("c2.usda", kSecond);
  EXPECT_EQ(StitchedManifest(), "over \"A\" { double x = 7 double y }");
}

TEST_F(StitchedLayersTest, ClipsWithoutARangeStartAndEndAtZero) {
  Write("c1.usda", "def \"A\" { double x.timeSamples = { 4: 4 }; }");
  Write("c2.usda", "(\n startTimeCode = 2\n)\ndef \"A\" { double x.timeSamples = { 4: 4 }; }");
  EXPECT_EQ(
      Result(),
      "( endTimeCode = 2 startTimeCode = 0 subLayers = [ @./out.topology.usda@ ] ) over \"A\" ( "
      "clips = { dictionary default = { double2[] active = [(0, 0), (2, 1)] asset[] assetPaths = "
      "[@./c1.usda@, @./c2.usda@] asset manifestAssetPath = @./out.manifest.usda@ string primPath "
      "= \"/A\" double2[] times = [(0, 0), (2, 2), (0, 0)] } } ) { }");
}

TEST_F(StitchedLayersTest, OptionsSetTimeCodesNameAndMissingValues) {
  Write("c1.usda", kFirst);
  Write("c2.usda", kSecond);
  EXPECT_EQ(ResultFromTenToTwenty("fx"),
            "( endTimeCode = 20 startTimeCode = 10 subLayers = [ @./out.topology.usda@ ] ) over "
            "\"A\" ( clips = { dictionary fx = { double2[] active = [(1, 0), (4, 1)] asset[] "
            "assetPaths = [@./c1.usda@, @./c2.usda@] bool interpolateMissingClipValues = 1 asset "
            "manifestAssetPath = @./out.manifest.usda@ string primPath = \"/A\" double2[] times = "
            "[(1, 1), (3, 3), (4, 4)] } } ) { }");
}

TEST_F(StitchedLayersTest, TemplatesReplaceListsOfClips) {
  Write("c1.usda", kFirst);
  Write("c2.usda", kSecond);
  EXPECT_EQ(ResultOfTemplate("./c#.usda"),
            "( endTimeCode = 2 startTimeCode = 1 subLayers = [ @./out.topology.usda@ ] ) over "
            "\"A\" ( clips = { dictionary default = { asset manifestAssetPath = "
            "@./out.manifest.usda@ string primPath = \"/A\" double templateActiveOffset = 0.5 "
            "string templateAssetPath = \"./c#.usda\" double templateEndTime = 2 double "
            "templateStartTime = 1 double templateStride = 1 } } ) { }");
}

TEST_F(StitchedLayersTest, ClipsInOtherFoldersKeepTheirPaths) {
  Write("shot/c1.usda", kFirst);
  Write("shot/in/c2.usda", kSecond);
  Write("other/c3.usda", kSecond);
  StitchClipsOptions options;
  options.clips = {"/shot/c1.usda", "/shot/in/c2.usda", "/other/c3.usda"};
  options.output = "/shot/out.usda";
  options.clip_path = P("/A");
  const auto stitched = StitchClips(scene_.context(), opener(), options);
  ASSERT_TRUE(stitched.ok()) << stitched.status();
  const std::string text = Flat(*stitched->result);
  EXPECT_NE(text.find("[@./c1.usda@, @./in/c2.usda@, @/other/c3.usda@]"), std::string::npos)
      << text;
  EXPECT_EQ(stitched->manifest->identifier(), "/shot/out.manifest.usda");
  EXPECT_EQ(stitched->topology->identifier(), "/shot/out.topology.usda");
}

TEST_F(StitchedLayersTest, OutputsNeedAFileExtension) {
  StitchClipsOptions options;
  options.clips = {"/c1.usda"};
  options.clip_path = P("/A");
  for (const char* output : {"out", "/a.b/out"}) {
    options.output = output;
    EXPECT_EQ(StitchClips(scene_.context(), opener(), options).status(),
              absl::InvalidArgumentError(
                  Concat("'", output, "' has no file extension; add one, such as .usda")));
  }
}

TEST_F(StitchedLayersTest, TextLayersUseCurrentTypeNames) {
  Write("c1.usda", "def \"A\" { Vec3f v.timeSamples = { 0: (1, 2, 3) }; Vec3f w = (1, 2, 3); }");
  Write("c2.usda", "");
  EXPECT_EQ(Topology(), "def \"A\" { float3 v float3 w = (1, 2, 3) }");
  EXPECT_EQ(StitchedManifest(), "over \"A\" { float3 v }");
  StitchClipsOptions options;
  options.clips = {"/c1.usda"};
  options.output = "/out.usdc";
  options.clip_path = P("/A");
  const auto stitched = StitchClips(scene_.context(), opener(), options);
  ASSERT_TRUE(stitched.ok()) << stitched.status();
  const SpecId v = stitched->manifest->tree().Find(P("/A.v"));
  EXPECT_EQ(stitched->manifest->Get(v, Token("typeName")), Value(Token("Vec3f")));
}

TEST_F(StitchedLayersTest, StartAndEndFramesCountAsTimeCodes) {
  Write("c1.usda", "(\n startFrame = 1\n endFrame = 3\n)\ndef \"A\" {}\n");
  Write("c2.usda", "(\n startTimeCode = 5\n startFrame = 1\n endTimeCode = 6\n)\n");
  const std::string text = Result();
  EXPECT_NE(text.find("active = [(1, 0), (5, 1)]"), std::string::npos) << text;
  EXPECT_NE(text.find("times = [(1, 1), (3, 3), (5, 5), (6, 6)]"), std::string::npos) << text;
}

TEST_F(StitchedLayersTest, RejectsWhatCannotBeStitched) {
  Write("c1.usda", kFirst);
  StitchClipsOptions good;
  good.clips = {"/c1.usda"};
  good.output = "/out.usda";
  good.clip_path = P("/A");
  const auto code = [&](const StitchClipsOptions& options) {
    return StitchClips(scene_.context(), opener(), options).status().code();
  };
  EXPECT_EQ(code(good), absl::StatusCode::kOk);
  StitchClipsOptions options = good;
  options.clips.clear();
  EXPECT_EQ(code(options), absl::StatusCode::kInvalidArgument);
  options = good;
  options.output = "/folder.d/out";
  EXPECT_EQ(code(options), absl::StatusCode::kInvalidArgument) << "no extension";
  options = good;
  options.clip_path = P("A");
  EXPECT_EQ(code(options), absl::StatusCode::kInvalidArgument);
  options.clip_path = P("/A.x");
  EXPECT_EQ(code(options), absl::StatusCode::kInvalidArgument);
  options.clip_path = P("/B");
  EXPECT_EQ(code(options), absl::StatusCode::kInvalidArgument) << "in no clip";
  options = good;
  options.clip_template = StitchClipsOptions::Template{.path = "./c#.usda"};
  options.start_time_code = 1;
  EXPECT_EQ(code(options), absl::StatusCode::kInvalidArgument) << "no end";
  options.end_time_code = 2;
  EXPECT_EQ(code(options), absl::StatusCode::kOk);
  options = good;
  options.clips = {"/nowhere.usda"};
  EXPECT_EQ(code(options), absl::StatusCode::kNotFound);
}

}  // namespace
}  // namespace stagedoor

#include "scene/render/render_spec.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "base/strings.h"
#include "scene/stage/stage.h"
#include "scene/testing/test_scene.h"

namespace stagedoor {
namespace {

using Texts = std::vector<std::string>;

constexpr std::string_view kCamera = R"(
def Camera "Cam" {
  float horizontalAperture = 20
  float verticalAperture = 10
}
)";

class RenderSpecTest : public testing::Test {
 protected:
  void Open(std::string_view text) {
    scene_.Write("a.usda", text);
    stage_ = scene_.Open("a.usda");
  }
  RenderSpec Compute(const std::vector<std::string>& namespaces = {}) {
    return ComputeRenderSpec(scene_.context(), stage_->FindPrim(P("/S")), namespaces);
  }
  // The only product of settings with this text.
  RenderProduct ProductOf(std::string_view settings, std::string_view product) {
    Open(Concat(kCamera,
                "def RenderSettings \"S\" {\n  rel camera = </Cam>\n  rel products = </P>\n",
                settings, "\n}\ndef RenderProduct \"P\" {\n", product, "\n}\n"));
    RenderSpec spec = Compute();
    EXPECT_EQ(spec.products.size(), 1u);
    return spec.products.empty() ? RenderProduct() : spec.products.front();
  }
  static Texts Names(const std::vector<NamespacedSetting>& settings) {
    Texts names;
    for (const NamespacedSetting& setting : settings) names.emplace_back(setting.name.text());
    return names;
  }
  static Texts PathsOf(const Value& value) {
    Texts paths;
    const auto* found = value.Get<std::vector<Path>>();
    if (found == nullptr) return {"no paths"};
    for (const Path path : *found) paths.push_back(path.ToString());
    return paths;
  }

  TestScene scene_;
  std::shared_ptr<const Stage> stage_;
};

TEST_F(RenderSpecTest, ProductsHaveTheValuesOfTheSettings) {
  const RenderProduct product = ProductOf(R"(
  int2 resolution = (200, 50)
  float pixelAspectRatio = 2
  token aspectRatioConformPolicy = "cropAperture"
  float4 dataWindowNDC = (0, 0.25, 1, 0.75)
  bool disableMotionBlur = true
  bool disableDepthOfField = true
  bool instantaneousShutter = true)",
                                          "  token productName = \"a.exr\"");
  EXPECT_EQ(product.path, P("/P"));
  EXPECT_EQ(product.type.text(), "raster");
  EXPECT_EQ(product.name.text(), "a.exr");
  EXPECT_EQ(product.camera, P("/Cam"));
  EXPECT_EQ(product.resolution, (Vec2i{200, 50}));
  EXPECT_EQ(product.pixel_aspect_ratio, 2);
  EXPECT_EQ(product.aspect_ratio_conform_policy.text(), "cropAperture");
  EXPECT_EQ(product.data_window, (Vec4f{0, 0.25, 1, 0.75}));
  EXPECT_TRUE(product.disable_motion_blur);
  EXPECT_TRUE(product.disable_depth_of_field);
  EXPECT_TRUE(product.instantaneous_shutter);
  EXPECT_EQ(product.aperture, (Vec2f{20, 2.5}));
}

TEST_F(RenderSpecTest, OpinionsOfProductsWin) {
  const RenderProduct product =
      ProductOf("  int2 resolution = (9, 9)\n  bool disableMotionBlur = true",
                R"(
  int2 resolution = (100, 100)
  bool disableMotionBlur = false
  token productType = "deepRaster")");
  EXPECT_EQ(product.resolution, (Vec2i{100, 100}));
  EXPECT_FALSE(product.disable_motion_blur);
  EXPECT_EQ(product.type.text(), "deepRaster");
}

TEST_F(RenderSpecTest, BlockedValuesOfProductsAreNoOpinions) {
  EXPECT_EQ(ProductOf("  int2 resolution = (9, 9)", "  int2 resolution = None").resolution,
            (Vec2i{9, 9}));
}

// As in OpenUSD: samples are authored values, but the value at default time is the fallback.
TEST_F(RenderSpecTest, SamplesOfProductsHideTheSettings) {
  EXPECT_EQ(ProductOf("  int2 resolution = (9, 9)", "  int2 resolution.timeSamples = {1: (5, 5)}")
                .resolution,
            (Vec2i{2048, 1080}));
}

// As in OpenUSD, which does not do what its documentation says of the deprecated attribute.
TEST_F(RenderSpecTest, AnInstantaneousShutterDoesNotDisableMotionBlur) {
  const RenderProduct product = ProductOf("  bool instantaneousShutter = true", "");
  EXPECT_TRUE(product.instantaneous_shutter);
  EXPECT_FALSE(product.disable_motion_blur);
}

TEST_F(RenderSpecTest, PoliciesFitApertures) {
  const struct {
    const char* policy;
    int width, height;  // of the image; the aperture is 20 x 10
    float horizontal, vertical, pixel_aspect_ratio;
  } kCases[] = {
      {"expandAperture", 100, 100, 20, 20, 1},         {"expandAperture", 400, 100, 40, 10, 1},
      {"cropAperture", 100, 100, 10, 10, 1},           {"cropAperture", 400, 100, 20, 5, 1},
      {"adjustApertureWidth", 100, 100, 10, 10, 1},    {"adjustApertureWidth", 400, 100, 40, 10, 1},
      {"adjustApertureHeight", 100, 100, 20, 20, 1},   {"adjustApertureHeight", 400, 100, 20, 5, 1},
      {"adjustPixelAspectRatio", 100, 100, 20, 10, 2}, {"unknown", 100, 100, 20, 10, 1},
      {"expandAperture", 0, 100, 20, 10, 1},           {"expandAperture", 100, -1, 20, 10, 1},
  };
  for (const auto& c : kCases) {
    RenderProduct product;
    product.resolution = {c.width, c.height};
    product.aperture = {20, 10};
    product.pixel_aspect_ratio = 1;
    product.aspect_ratio_conform_policy = Token(c.policy);
    ApplyAspectRatioPolicy(&product);
    EXPECT_EQ(product.aperture, (Vec2f{c.horizontal, c.vertical})) << c.policy << c.width;
    EXPECT_EQ(product.pixel_aspect_ratio, c.pixel_aspect_ratio) << c.policy << c.width;
  }
}

TEST_F(RenderSpecTest, NothingIsFittedToPixelsOrAperturesWithoutArea) {
  for (const auto& [pixels, width] : {std::pair{0.0F, 20.0F}, {-1.0F, 20.0F}, {1.0F, 0.0F}}) {
    RenderProduct product;
    product.resolution = {100, 100};
    product.aperture = {width, 10};
    product.pixel_aspect_ratio = pixels;
    product.aspect_ratio_conform_policy = Token("cropAperture");
    ApplyAspectRatioPolicy(&product);
    EXPECT_EQ(product.aperture, (Vec2f{width, 10})) << pixels;
  }
}

TEST_F(RenderSpecTest, ProductsShareVars) {
  Open(Concat(kCamera, R"(
def RenderSettings "S" {
  rel camera = </Cam>
  rel products = [</P>, </Q>]
}
def RenderProduct "P" {
  rel orderedVars = [</B>, </A>, </Gone>]
}
def RenderProduct "Q" {
  rel orderedVars = [</A>, </C>, </P>]
}
def RenderVar "A" {
  string sourceName = "Ci"
  token sourceType = "lpe"
  token dataType = "float"
  int ri:filter = 3
}
def RenderVar "B" {
}
def RenderVar "C" {
}
)"));
  const RenderSpec spec = Compute();
  ASSERT_EQ(spec.vars.size(), 3u);
  EXPECT_EQ(spec.vars[0].path, P("/B"));
  EXPECT_EQ(spec.vars[0].data_type.text(), "color3f");
  EXPECT_EQ(spec.vars[0].source_type.text(), "raw");
  EXPECT_EQ(spec.vars[1].path, P("/A"));
  EXPECT_EQ(spec.vars[1].data_type.text(), "float");
  EXPECT_EQ(spec.vars[1].source_name, "Ci");
  EXPECT_EQ(spec.vars[1].source_type.text(), "lpe");
  EXPECT_EQ(Names(spec.vars[1].settings), Texts{"ri:filter"});
  ASSERT_EQ(spec.products.size(), 2u);
  EXPECT_EQ(spec.products[0].vars, (std::vector<uint32_t>{0, 1}));
  EXPECT_EQ(spec.products[1].vars, (std::vector<uint32_t>{1, 2}));
  ASSERT_EQ(spec.problems.size(), 2u);
  EXPECT_EQ(spec.problems[0].reason, RenderProblem::Reason::kNoVar);
  EXPECT_EQ(spec.problems[0].prim, P("/P"));
  EXPECT_EQ(spec.problems[0].target, P("/Gone"));
  EXPECT_EQ(spec.problems[1].target, P("/P"));
}

TEST_F(RenderSpecTest, ProductsWithoutCamerasAreLeftOut) {
  Open(Concat(kCamera, R"(
def RenderSettings "S" {
  rel products = [</P>, </Q>, </R>, </Cam>]
}
def RenderProduct "P" {
}
def RenderProduct "Q" {
  rel camera = </P>
}
def RenderProduct "R" {
  rel camera = [</Cam>, </P>]
}
)"));
  const RenderSpec spec = Compute();
  ASSERT_EQ(spec.products.size(), 1u);
  EXPECT_EQ(spec.products[0].path, P("/R"));
  ASSERT_EQ(spec.problems.size(), 3u);
  EXPECT_EQ(spec.problems[0].reason, RenderProblem::Reason::kNoCamera);
  EXPECT_EQ(spec.problems[0].prim, P("/P"));
  EXPECT_TRUE(spec.problems[0].target.empty());
  EXPECT_EQ(spec.problems[1].target, P("/P"));
  EXPECT_EQ(spec.problems[2].reason, RenderProblem::Reason::kNoProduct);
  EXPECT_EQ(spec.problems[2].prim, P("/S"));
}

TEST_F(RenderSpecTest, SettingsHaveDefaultsWithoutProducts) {
  Open(Concat(kCamera, R"(
def RenderSettings "S" {
  rel camera = </Cam>
  int2 resolution = (100, 100)
  token[] includedPurposes = ["default", "proxy"]
  token[] materialBindingPurposes = ["preview"]
  token renderingColorSpace = "lin_ap1_scene"
}
)"));
  const RenderSpec spec = Compute();
  EXPECT_TRUE(spec.defaults.path.empty());
  EXPECT_EQ(spec.defaults.aperture, (Vec2f{20, 20}));
  EXPECT_EQ(spec.defaults.camera, P("/Cam"));
  ASSERT_EQ(spec.included_purposes.size(), 2u);
  EXPECT_EQ(spec.included_purposes[1].text(), "proxy");
  ASSERT_EQ(spec.material_binding_purposes.size(), 1u);
  EXPECT_EQ(spec.material_binding_purposes[0].text(), "preview");
  EXPECT_EQ(spec.rendering_color_space.text(), "lin_ap1_scene");
}

TEST_F(RenderSpecTest, SettingsAreSelectedByNamespace) {
  Open(R"(
def RenderSettings "S" {
  int plain = 1
  int ri:samples = 5
  int ri:deep:er = 6
  int arnold:samples = 7
  int ri:timed.timeSamples = {1: 2}
  int ri:none
  token outputs:ri:filter.connect = </F.outputs:out>
  token outputs:ri:own = "x"
  int outputs:plain = 5
  rel friends = [</F>, </S>]
  rel ri:nobody
}
def Shader "F" {
  token outputs:out
}
)");
  const RenderSpec spec = Compute();
  EXPECT_EQ(Names(spec.settings),
            (Texts{"arnold:samples", "friends", "outputs:ri:filter", "outputs:ri:own", "ri:deep:er",
                   "ri:nobody", "ri:samples"}));
  EXPECT_EQ(PathsOf(spec.settings[1].value), (Texts{"/F", "/S"}));
  EXPECT_EQ(PathsOf(spec.settings[2].value), Texts{"/F"});
  EXPECT_EQ(PathsOf(spec.settings[3].value), Texts{"/S"}) << "as in OpenUSD";
  EXPECT_EQ(spec.settings[6].value, Value(5));
  EXPECT_EQ(Names(Compute({"arnold", "other"}).settings),
            (Texts{"arnold:samples", "friends", "ri:nobody"}))
      << "as in OpenUSD, relationships are not selected";
}

TEST_F(RenderSpecTest, StagesNameTheirSettings) {
  const auto settings_of = [&](std::string_view metadata) {
    Open(Concat("(\n", metadata, "\n)\ndef RenderSettings \"S\" {\n}\ndef \"Other\" {\n}\n"));
    const Prim found = StageRenderSettings(scene_.context(), *stage_);
    return found.valid() ? found.PathText() : "";
  };
  EXPECT_EQ(settings_of("renderSettingsPrimPath = \"/S\""), "/S");
  EXPECT_EQ(settings_of("renderSettingsPrimPath = \"/Other\""), "");
  EXPECT_EQ(settings_of("renderSettingsPrimPath = \"no path\""), "");
  EXPECT_EQ(settings_of(""), "");
}

}  // namespace
}  // namespace stagedoor

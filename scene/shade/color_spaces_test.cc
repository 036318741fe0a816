#include "scene/shade/color_spaces.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "scene/stage/stage.h"
#include "scene/testing/test_scene.h"

namespace stagedoor {
namespace {

class ColorSpacesTest : public testing::Test {
 protected:
  ColorSpacesTest() {
    scene_.Write("a.usda", R"(
def "A" (
  prepend apiSchemas = ["ColorSpaceAPI", "ColorSpaceDefinitionAPI:one", "ColorSpaceDefinitionAPI:two"]
) {
  uniform token colorSpace:name = "mine"
  token colorSpaceDefinition:one:name = "mine"
  float2 colorSpaceDefinition:one:redChroma = (0.5, 0.25)
  float colorSpaceDefinition:one:gamma = 2
  token colorSpaceDefinition:two:name = "raw"
  color3f plain
  color3f own (
    colorSpace = "lin_ap0_scene"
  )
  color3f odd (
    colorSpace = "odd"
  )
  def "Empty" (
    prepend apiSchemas = ["ColorSpaceAPI"]
  ) {
    def "Unknown" (
      prepend apiSchemas = ["ColorSpaceAPI"]
    ) {
      uniform token colorSpace:name = "below"
      def "Defined" (
        prepend apiSchemas = ["ColorSpaceDefinitionAPI:x"]
      ) {
        token colorSpaceDefinition:x:name = "below"
        color3f plain
      }
    }
    def "Unapplied" {
      uniform token colorSpace:name = "data"
    }
    def "Custom" (
      prepend apiSchemas = ["ColorSpaceAPI", "ColorSpaceDefinitionAPI:z"]
    ) {
      uniform token colorSpace:name = "custom"
    }
    def "Sampled" (
      prepend apiSchemas = ["ColorSpaceAPI"]
    ) {
      uniform token colorSpace:name.timeSamples = { 1: "raw" }
    }
    def "Standard" (
      prepend apiSchemas = ["ColorSpaceAPI"]
    ) {
      uniform token colorSpace:name = "ACEScg"
    }
  }
}
def "Apart" {
}
)");
    stage_ = scene_.Open("a.usda");
  }
  std::string NameOf(std::string_view path) {
    return std::string(spaces_.NameOf(stage_->FindPrim(P(path))).text());
  }
  std::string NameOfAttribute(std::string_view prim, std::string_view name) {
    const Attribute attribute = stage_->FindPrim(P(prim)).GetAttribute(Token(name));
    return std::string(spaces_.NameOf(attribute).text());
  }

  TestScene scene_;
  std::shared_ptr<const Stage> stage_;
  ColorSpaces spaces_{scene_.context()};
};

TEST_F(ColorSpacesTest, TheClosestSchemaWithANameWins) {
  EXPECT_EQ(NameOf("/A"), "mine");
  EXPECT_EQ(NameOf("/A/Empty"), "mine");
  EXPECT_EQ(NameOf("/A/Empty/Unapplied"), "mine");
  EXPECT_EQ(NameOf("/A/Empty/Sampled"), "mine");
  EXPECT_EQ(NameOf("/A/Empty/Custom"), "custom") << "the fallback of definitions";
  EXPECT_EQ(NameOf("/A/Empty/Standard"), "ACEScg");
  EXPECT_EQ(NameOf("/Apart"), "");
}

TEST_F(ColorSpacesTest, DefinitionsCountForPrimsBelow) {
  EXPECT_EQ(NameOf("/A/Empty/Unknown/Defined"), "");
  EXPECT_EQ(NameOf("/A/Empty/Unknown"), "");
  ASSERT_EQ(spaces_.unknown().size(), 1u);
  EXPECT_EQ(spaces_.unknown()[0].ToString(), "/A/Empty/Unknown.colorSpace:name");
}

TEST_F(ColorSpacesTest, MetadataOfAttributesWins) {
  EXPECT_EQ(NameOfAttribute("/A", "own"), "lin_ap0_scene");
  EXPECT_EQ(NameOfAttribute("/A", "odd"), "odd") << "as in OpenUSD, it need not be known";
  EXPECT_EQ(NameOfAttribute("/A", "plain"), "mine");
  EXPECT_EQ(NameOfAttribute("/A/Empty/Unknown/Defined", "plain"), "");
}

TEST_F(ColorSpacesTest, DefinitionsHaveChromaticities) {
  const Prim prim = stage_->FindPrim(P("/A/Empty/Unapplied"));
  const ColorSpaceDefinition* found = spaces_.FindDefinition(prim, Token("mine"));
  ASSERT_NE(found, nullptr);
  EXPECT_EQ(found->prim, P("/A"));
  EXPECT_EQ(found->name.text(), "mine");
  EXPECT_EQ(found->red, (Vec2f{0.5, 0.25}));
  EXPECT_EQ(found->green, (Vec2f{0, 1}));
  EXPECT_EQ(found->blue, (Vec2f{0, 0}));
  EXPECT_EQ(found->gamma, 2);
  EXPECT_EQ(found->linear_bias, 0);
  EXPECT_EQ(found, spaces_.FindDefinition(stage_->FindPrim(P("/A")), Token("mine")));
  EXPECT_EQ(spaces_.FindDefinition(prim, Token("raw")), nullptr)
      << "standard names are not defined";
  EXPECT_EQ(spaces_.FindDefinition(prim, Token("below")), nullptr);
}

TEST_F(ColorSpacesTest, StandardNamesAreShortOrLong) {
  for (const char* name : {"lin_ap1_scene", "Linear Rec.2020", "raw", "Raw", "identity"}) {
    EXPECT_TRUE(IsStandardColorSpace(Token(name))) << name;
  }
  for (const char* name : {"", "acescg", "RAW", "custom"}) {
    EXPECT_FALSE(IsStandardColorSpace(Token(name))) << name;
  }
}

}  // namespace
}  // namespace stagedoor

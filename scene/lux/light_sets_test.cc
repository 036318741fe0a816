#include "scene/lux/light_sets.h"

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/strings.h"
#include "gtest/gtest.h"
#include "scene/stage/stage.h"
#include "scene/testing/test_scene.h"

namespace stagedoor {
namespace {

constexpr const char* kPrims = R"(
def Xform "A" {
  def Xform "B" {
    def Mesh "C" {
    }
  }
  def Mesh "D" {
  }
}
def Mesh "E" {
}
)";

class LightSetsTest : public testing::Test {
 protected:
  // A stage with lights L0, L1, … that have these properties.
  void Open(const std::vector<std::string>& lights, std::string_view collection = "lightLink") {
    std::string text = kPrims;
    for (size_t i = 0; i < lights.size(); ++i) {
      text += Concat("def SphereLight \"L", i, "\" {\n", lights[i], "\n}\n");
    }
    scene_.Write("a.usda", text);
    stage_ = scene_.Open("a.usda");
    lights_.clear();
    for (size_t i = 0; i < lights.size(); ++i) {
      lights_.push_back(stage_->FindPrim(P(Concat("/L", i))));
    }
    sets_ = std::make_unique<LightSets>(scene_.context(), lights_, Token(collection));
  }
  // The indices of a prim's lights.
  std::string Lights(std::string_view path) {
    std::string text;
    const uint32_t set = sets_->Find(stage_->FindPrim(P(path)));
    for (const uint32_t light : sets_->sets()[set]) text += std::to_string(light);
    // They must be those that each light says itself.
    std::string own;
    for (size_t i = 0; i < lights_.size(); ++i) {
      const auto query =
          Collection(lights_[i], Token("lightLink")).ComputeMembershipQuery(scene_.context());
      if (query.Includes(P(path))) own += std::to_string(i);
    }
    EXPECT_EQ(text, own) << path;
    return text;
  }

  TestScene scene_;
  std::shared_ptr<const Stage> stage_;
  std::vector<Prim> lights_;
  std::unique_ptr<LightSets> sets_;
};

TEST_F(LightSetsTest, LightsAreLinkedToAllPrimsUnlessTheySayOtherwise) {
  Open({"", "rel collection:lightLink:excludes = </A/B>",
        "uniform bool collection:lightLink:includeRoot = false\n"
        "rel collection:lightLink:includes = </A>"});
  EXPECT_EQ(Lights("/E"), "01");
  EXPECT_EQ(Lights("/A"), "012");
  EXPECT_EQ(Lights("/A/B"), "02");
  EXPECT_EQ(Lights("/A/B/C"), "02");
  EXPECT_EQ(Lights("/A/D"), "012");
}

TEST_F(LightSetsTest, EqualSetsHaveOneNumber) {
  Open({"", "rel collection:lightLink:excludes = </A/B>"});
  const auto number = [&](const char* path) { return sets_->Find(stage_->FindPrim(P(path))); };
  EXPECT_EQ(number("/A"), number("/E"));
  EXPECT_EQ(number("/A/B"), number("/A/B/C"));
  EXPECT_NE(number("/A"), number("/A/B"));
  EXPECT_EQ(sets_->sets().size(), 2u);
}

TEST_F(LightSetsTest, RulesForOnePathAloneEndThere) {
  Open(
      {"uniform token collection:lightLink:expansionRule = \"explicitOnly\"\n"
       "uniform bool collection:lightLink:includeRoot = false\n"
       "rel collection:lightLink:includes = </A/B>",
       "rel collection:lightLink:excludes = </A>\n"
       "rel collection:lightLink:includes = </A/B/C>"});
  EXPECT_EQ(Lights("/A/B"), "0");
  EXPECT_EQ(Lights("/A/B/C"), "1");
  EXPECT_EQ(Lights("/A"), "");
  EXPECT_EQ(Lights("/E"), "1");
}

TEST_F(LightSetsTest, ExpressionsAreAskedAboutEachPrim) {
  Open({"rel collection:lightLink:excludes = </A/B>",
        "uniform bool collection:lightLink:includeRoot = false\n"
        "uniform pathExpression collection:lightLink:membershipExpression = \"//{isa:Mesh}\"",
        ""});
  EXPECT_EQ(Lights("/A/B"), "2");
  EXPECT_EQ(Lights("/A/B/C"), "12");
  EXPECT_EQ(Lights("/E"), "012");
}

TEST_F(LightSetsTest, OtherCollectionsAndMissingLightsAreAllowed) {
  Open({"rel collection:lightLink:excludes = </A>"}, "shadowLink");
  EXPECT_EQ(sets_->sets()[sets_->Find(stage_->FindPrim(P("/A")))].size(), 1u);
  LightSets none(scene_.context(), {Prim()}, Token("lightLink"));
  EXPECT_TRUE(none.sets()[none.Find(stage_->FindPrim(P("/A")))].empty());
}

}  // namespace
}  // namespace stagedoor

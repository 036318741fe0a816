#include "scene/lux/explain_light_link.h"

#include <memory>
#include <string>
#include <string_view>

#include "base/strings.h"
#include "gtest/gtest.h"
#include "scene/stage/stage.h"
#include "scene/testing/test_scene.h"

namespace stagedoor {
namespace {

constexpr const char* kLinkedPrims = R"(
def Xform "A" {
  def Xform "B" {
    def Mesh "C" {
    }
  }
}
def Mesh "E" {
}
def Scope "Sets" (prepend apiSchemas = ["CollectionAPI:x"]) {
  uniform bool collection:x:includeRoot = true
  rel collection:x:excludes = </A/B>
}
)";

class ExplainLightLinkTest : public testing::Test {
 protected:
  // A stage with a light "/L" that has these properties of the collection lightLink.
  void Open(std::string_view properties, std::string_view type = "SphereLight") {
    scene_.Write("a.usda", Concat(kLinkedPrims, "def ", type, " \"L\" {\n", properties, "\n}\n"));
    stage_ = scene_.Open("a.usda");
  }
  // "linked by default: / expandPrims decides"
  std::string Explain(std::string_view path, std::string_view collection = "lightLink") {
    const auto found =
        ExplainLightLink(scene_.context(), stage_->FindPrim(P("/L")), Token(collection), P(path));
    constexpr const char* kReasons[] = {"no light", "rule",       "includeRoot", "default",
                                        "no rule",  "expression", "empty"};
    constexpr const char* kRules[] = {"explicitOnly", "expandPrims", "expandPrimsAndProperties",
                                      "exclude", "unknown"};
    constexpr const char* kOutcomes[] = {"!", "", " only itself"};
    std::string text = Concat(found.is_linked ? "linked by " : "not linked by ",
                              kReasons[static_cast<int>(found.reason)], ":");
    for (const LightLinkRule& rule : found.rules) {
      text += Concat(" ", rule.path.ToString(), " ", kRules[static_cast<int>(rule.rule)],
                     kOutcomes[static_cast<int>(rule.outcome)]);
    }
    if (!found.expression.empty()) text += Concat(" ", found.expression);
    return text;
  }

  TestScene scene_;
  std::shared_ptr<const Stage> stage_;
};

TEST_F(ExplainLightLinkTest, LightsWithoutOpinionsAreLinkedToAll) {
  Open("");
  EXPECT_EQ(Explain("/A/B"), "linked by default: / expandPrims!");
  EXPECT_EQ(Explain("/A/B", "shadowLink"), "linked by default: / expandPrims!");
  EXPECT_EQ(Explain("/A/B", "filterLink"), "not linked by no light:");
}

TEST_F(ExplainLightLinkTest, TheClosestRuleDecides) {
  Open(
      "rel collection:lightLink:includes = </A/B>\n"
      "rel collection:lightLink:excludes = [</A>, </E>]");
  EXPECT_EQ(Explain("/A/B/C"), "linked by rule: /A/B expandPrims! /A exclude / expandPrims");
  EXPECT_EQ(Explain("/A"), "not linked by rule: /A exclude! / expandPrims");
  EXPECT_EQ(Explain("/Sets"), "linked by includeRoot: / expandPrims!");
}

TEST_F(ExplainLightLinkTest, ExplicitRulesAreForOnePrim) {
  Open(
      "uniform token collection:lightLink:expansionRule = \"explicitOnly\"\n"
      "rel collection:lightLink:includes = [</A>, </E>]");
  EXPECT_EQ(Explain("/A"), "linked by rule: /A explicitOnly!");
  EXPECT_EQ(Explain("/A/B"), "not linked by no rule: /A explicitOnly only itself");
  EXPECT_EQ(Explain("/Sets"), "not linked by no rule:");
}

TEST_F(ExplainLightLinkTest, IncludedCollectionsHaveRulesToo) {
  Open(
      "uniform bool collection:lightLink:includeRoot = false\n"
      "rel collection:lightLink:includes = </Sets.collection:x>");
  EXPECT_EQ(Explain("/A/B/C"), "not linked by rule: /A/B exclude! / expandPrims");
  EXPECT_EQ(Explain("/E"), "linked by rule: / expandPrims!");
}

TEST_F(ExplainLightLinkTest, UnknownRulesIncludeDescendants) {
  Open("uniform token collection:lightLink:expansionRule = \"odd\"");
  EXPECT_EQ(Explain("/A"), "linked by includeRoot: / unknown!");
}

TEST_F(ExplainLightLinkTest, ExpressionsMatchOrNot) {
  const std::string expression =
      "uniform pathExpression collection:lightLink:membershipExpression = \"/A//\"\n";
  Open(expression + "uniform bool collection:lightLink:includeRoot = false");
  EXPECT_EQ(Explain("/A/B"), "linked by expression: /A//");
  EXPECT_EQ(Explain("/E"), "not linked by expression: /A//");
  Open(expression);
  EXPECT_EQ(Explain("/E"), "linked by includeRoot: / expandPrims!") << "rules come first";
  Open(expression + "uniform token collection:lightLink:mode = \"expression\"");
  EXPECT_EQ(Explain("/E"), "not linked by expression: /A//");
}

TEST_F(ExplainLightLinkTest, EmptyCollectionsLinkNothing) {
  Open("uniform bool collection:lightLink:includeRoot = false");
  EXPECT_EQ(Explain("/A"), "not linked by empty:");
  Open("uniform token collection:lightLink:mode = \"expression\"");
  EXPECT_EQ(Explain("/A"), "not linked by empty:");
  Open("uniform bool collection:lightLink:includeRoot = None");
  EXPECT_EQ(Explain("/A"), "not linked by empty:");
}

TEST_F(ExplainLightLinkTest, FiltersAndOtherPrims) {
  Open("rel collection:filterLink:excludes = </A>", "LightFilter");
  EXPECT_EQ(Explain("/A/B", "filterLink"), "not linked by rule: /A exclude! / expandPrims");
  EXPECT_EQ(Explain("/E", "filterLink"), "linked by includeRoot: / expandPrims!");
  EXPECT_EQ(Explain("/E"), "not linked by no light:");
  Open("", "Mesh");
  EXPECT_EQ(Explain("/A"), "not linked by no light:");
}

}  // namespace
}  // namespace stagedoor

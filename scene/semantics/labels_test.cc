#include "scene/semantics/labels.h"

#include <gtest/gtest.h>

#include <limits>
#include <memory>
#include <string>
#include <string_view>

#include "scene/stage/stage.h"
#include "scene/testing/test_scene.h"

namespace stagedoor {
namespace {

constexpr std::string_view kLabelled = R"(
def "R" (
  prepend apiSchemas = ["SemanticsLabelsAPI:z", "SemanticsLabelsAPI:cat", "SemanticsLabelsAPI:a:b"]
) {
  token[] semantics:labels:z = ["zz", "b", "aa", "aa", "A"]
  token[] semantics:labels:cat = ["x", "", "x"]
  token[] semantics:labels:cat.timeSamples = {
    1: ["one"],
    5: ["five", "a"],
    12: None,
    15: ["late"]
  }
  string[] semantics:labels:a:b = ["text"]
  token[] semantics:labels:bare = ["not applied"]
  def "C" (
    prepend apiSchemas = ["SemanticsLabelsAPI:cat", "SemanticsLabelsAPI:own"]
  ) {
    token[] semantics:labels:cat = ["c", "x"]
    token[] semantics:labels:own = ["o"]
    def "D" {
    }
  }
  def "Blocked" (
    prepend apiSchemas = ["SemanticsLabelsAPI:cat"]
  ) {
    token[] semantics:labels:cat = None
  }
}
def "I" (
  instanceable = true
  prepend apiSchemas = ["SemanticsLabelsAPI:cat"]
  references = </Source>
) {
  token[] semantics:labels:cat = ["instance"]
}
def "Source" (
  prepend apiSchemas = ["SemanticsLabelsAPI:e"]
) {
  def "In" (
    prepend apiSchemas = ["SemanticsLabelsAPI:cat"]
  ) {
    token[] semantics:labels:cat = ["in"]
  }
}
)";

std::string Joined(const std::vector<Token>& tokens) {
  std::string text;
  for (const Token token : tokens) {
    if (!text.empty()) text += ' ';
    text += token.empty() ? "\"\"" : token.str();
  }
  return text;
}

class LabelsTest : public testing::Test {
 protected:
  LabelsTest() {
    scene_.Write("a.usda", kLabelled);
    stage_ = scene_.Open("a.usda");
  }
  Prim Find(std::string_view path) { return stage_->FindPrim(P(path)); }
  std::string DirectAt(std::string_view path, std::string_view taxonomy, const LabelTime& time) {
    LabelScopes scopes(scene_.context());
    return Joined(LabelsQuery(scopes, time).DirectLabels(Find(path), Token(taxonomy)));
  }
  std::string InheritedAt(std::string_view path, std::string_view taxonomy, const LabelTime& time) {
    LabelScopes scopes(scene_.context());
    return Joined(LabelsQuery(scopes, time).InheritedLabels(Find(path), Token(taxonomy)));
  }
  // The labels of /R in the taxonomy "cat" from one time to another.
  std::string Within(double first, double last) {
    const double start = std::max(first, std::numeric_limits<double>::lowest());
    return DirectAt("/R", "cat",
                    {.time = TimeCode::At(start), .samples_within = std::pair(first, last)});
  }

  TestScene scene_;
  std::shared_ptr<const Stage> stage_;
};

TEST_F(LabelsTest, FindsTaxonomies) {
  LabelScopes scopes(scene_.context());
  EXPECT_EQ(Joined(scopes.DirectTaxonomies(Find("/R"))), "z cat a:b");
  EXPECT_EQ(Joined(scopes.InheritedTaxonomies(Find("/R"))), "a:b cat z");
  EXPECT_EQ(Joined(scopes.DirectTaxonomies(Find("/R/C/D"))), "");
  EXPECT_EQ(Joined(scopes.InheritedTaxonomies(Find("/R/C/D"))), "a:b cat own z");
  EXPECT_EQ(Joined(scopes.DirectTaxonomies(Find("/I"))), "cat e");
  EXPECT_EQ(Joined(scopes.InheritedTaxonomies(Find("/I/In"))), "cat e");
  EXPECT_EQ(scopes.Nearest(Find("/R/C/D")).PathText(), "/R/C");
  EXPECT_FALSE(scopes.Nearest(stage_->PseudoRoot()).valid());
}

TEST_F(LabelsTest, LabelsAreUniqueAndAscending) {
  EXPECT_EQ(DirectAt("/R", "z", {}), "A aa b zz");
  EXPECT_EQ(DirectAt("/R", "cat", {}), "\"\" x");
  EXPECT_EQ(DirectAt("/R", "cat", {.time = TimeCode::At(5)}), "a five");
  EXPECT_EQ(DirectAt("/R", "cat", {.time = TimeCode::Earliest()}), "one");
  EXPECT_EQ(DirectAt("/R", "cat", {.time = TimeCode::At(13)}), "");  // blocked
}

TEST_F(LabelsTest, OtherTypesAndSchemasThatAreNotAppliedHaveNoLabels) {
  EXPECT_EQ(DirectAt("/R", "a:b", {}), "");
  EXPECT_EQ(DirectAt("/R", "bare", {}), "");
  EXPECT_EQ(DirectAt("/R", "", {}), "");
  EXPECT_EQ(DirectAt("/R", "never mentioned", {}), "");
}

TEST_F(LabelsTest, InheritedLabelsIncludeThoseAbove) {
  EXPECT_EQ(InheritedAt("/R/C/D", "cat", {}), "\"\" c x");
  EXPECT_EQ(InheritedAt("/R/C/D", "own", {}), "o");
  EXPECT_EQ(InheritedAt("/R/C/D", "z", {}), "A aa b zz");
  EXPECT_EQ(InheritedAt("/R/Blocked", "cat", {}), "\"\" x");
  EXPECT_EQ(InheritedAt("/I/In", "cat", {}), "in instance");
  EXPECT_EQ(InheritedAt("/Source/In", "cat", {}), "in");
  EXPECT_EQ(InheritedAt("/R", "cat", {.time = TimeCode::At(13)}), "");
}

TEST_F(LabelsTest, IntervalsJoinTheLabelsOfTheirSamples) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  EXPECT_EQ(Within(1, 5), "a five one");
  EXPECT_EQ(Within(2, 4), "one");
  EXPECT_EQ(Within(6, 7), "a five");
  EXPECT_EQ(Within(-kInfinity, 0), "one");
  EXPECT_EQ(Within(15, kInfinity), "late");
  // One value that is blocked leaves no labels.
  EXPECT_EQ(Within(1, 12), "");
  EXPECT_EQ(Within(13, 15), "");
}

}  // namespace
}  // namespace stagedoor

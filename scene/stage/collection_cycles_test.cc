// Collections that include each other. What is expected was asked of OpenUSD.
#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "base/strings.h"
#include "gtest/gtest.h"
#include "scene/stage/collection.h"
#include "scene/testing/answers_fixture.h"

namespace stagedoor {
namespace {

// /W with the collections c, d and e, and the prims A, A/AA, A/AB, B below it.
class CollectionCyclesTest : public AnswersTest {
 protected:
  void Collections(std::string_view text) {
    Write("root.usda", Concat(R"(
def "W" (
  prepend apiSchemas = ["CollectionAPI:c", "CollectionAPI:d", "CollectionAPI:e"]
) {
)",
                              text, R"(
  def "A" {
    double x
    def "AA" {}
    def "AB" {}
  }
  def "B" {}
}
)"));
  }
  std::string Members(std::string_view name) {
    const Collection collection(stage().FindPrim("/W"), Token(name));
    std::vector<std::string> texts;
    for (const Path path : collection.ComputeMembership(scene_.context())
                               .Members(scene_.context(), PrimPredicate::Default())) {
      texts.push_back(path.ToString());
    }
    std::sort(texts.begin(), texts.end());
    return Join(texts, " ");
  }
};

TEST_F(CollectionCyclesTest, ACycleEndsWhereItBegan) {
  Collections(R"(
  rel collection:c:includes = [</W.collection:d>, </W/A>]
  rel collection:d:includes = [</W.collection:c>, </W/B>]
)");
  EXPECT_EQ(Members("c"), "/W/A /W/A/AA /W/A/AB /W/B");
  EXPECT_EQ(Members("d"), "/W/A /W/A/AA /W/A/AB /W/B");
}

// The excludes of each collection of a cycle count for what it brings, and so for all that include
// it.
TEST_F(CollectionCyclesTest, ExcludesOfACycleCountInEachOfIts) {
  Collections(R"(
  rel collection:c:includes = [</W.collection:d>, </W/A>]
  rel collection:c:excludes = </W/A/AA>
  rel collection:d:includes = [</W.collection:c>, </W/B>]
)");
  EXPECT_EQ(Members("c"), "/W/A /W/A/AB /W/B");
  EXPECT_EQ(Members("d"), "/W/A /W/A/AB /W/B");
}

TEST_F(CollectionCyclesTest, AnExcludeBehindTheCycleIsOverruledByALaterInclude) {
  Collections(R"(
  rel collection:c:includes = [</W.collection:d>, </W/A>]
  rel collection:d:includes = [</W.collection:c>, </W/B>]
  rel collection:d:excludes = </W/A>
)");
  EXPECT_EQ(Members("c"), "/W/A /W/A/AA /W/A/AB /W/B");
  EXPECT_EQ(Members("d"), "/W/B");
}

TEST_F(CollectionCyclesTest, AnExcludeBehindTheCycleOverrulesAnEarlierInclude) {
  Collections(R"(
  rel collection:c:includes = [</W/A>, </W.collection:d>]
  rel collection:d:includes = [</W/B>, </W.collection:c>]
  rel collection:d:excludes = </W/A>
)");
  EXPECT_EQ(Members("c"), "/W/B");
  EXPECT_EQ(Members("d"), "/W/B");
}

TEST_F(CollectionCyclesTest, ACollectionThatIncludesItselfKeepsItsExcludes) {
  Collections(R"(
  rel collection:c:includes = [</W.collection:c>, </W/A>]
  rel collection:c:excludes = </W/A/AB>
)");
  EXPECT_EQ(Members("c"), "/W/A /W/A/AA");
}

// What a cycle has cut short is not what another way to the same collection finds.
TEST_F(CollectionCyclesTest, CollectionsOfACycleAreCollectedAnewFromOutside) {
  Collections(R"(
  rel collection:c:includes = [</W.collection:d>, </W/A/AA>, </W.collection:e>]
  rel collection:d:includes = [</W.collection:e>, </W/B>]
  rel collection:e:includes = [</W.collection:d>, </W/A>]
  rel collection:d:excludes = </W/A/AA>
  rel collection:e:excludes = </W/A/AB>
)");
  EXPECT_EQ(Members("c"), "/W/A /W/B");
  EXPECT_EQ(Members("d"), "/W/A /W/B");
  EXPECT_EQ(Members("e"), "/W/A /W/B");
}

TEST_F(CollectionCyclesTest, RulesOfACycleAreThoseOfEachCollection) {
  Collections(R"(
  rel collection:c:includes = [</W.collection:d>, </W/A>]
  uniform token collection:c:expansionRule = "explicitOnly"
  rel collection:d:includes = [</W.collection:c>, </W/B>]
  uniform token collection:d:expansionRule = "expandPrimsAndProperties"
)");
  EXPECT_EQ(Members("c"), "/W/A /W/B");
  EXPECT_EQ(Members("d"), "/W/A /W/B");
}

TEST_F(CollectionCyclesTest, IncludingTheRootInACycleReachesAll) {
  Collections(R"(
  rel collection:c:includes = [</W.collection:d>]
  rel collection:c:excludes = </W/A>
  rel collection:d:includes = [</W.collection:c>]
  uniform bool collection:d:includeRoot = 1
  rel collection:d:excludes = </W/B>
)");
  EXPECT_EQ(Members("c"), "/W");
  EXPECT_EQ(Members("d"), "/W");
}

TEST_F(CollectionCyclesTest, ExpressionsOfACycleEndToo) {
  Collections(R"(
  uniform pathExpression collection:c:membershipExpression = "%:d /W/A"
  uniform pathExpression collection:d:membershipExpression = "%:c /W/B - /W/A"
)");
  EXPECT_EQ(Members("c"), "/W/A /W/B");
  EXPECT_EQ(Members("d"), "/W/B");
}

// ---- Collections that do not include each other

TEST_F(CollectionCyclesTest, ExcludesHoldFromTheirPathDown) {
  Collections(R"(
  rel collection:c:includes = [</W/A>, </W/A/AA>]
  rel collection:c:excludes = </W/A>
)");
  EXPECT_EQ(Members("c"), "/W/A/AA");
  Collections(R"(
  rel collection:c:includes = </W>
  rel collection:c:excludes = [</W/A>]
  rel collection:d:includes = [</W.collection:c>, </W/A/AB>]
)");
  EXPECT_EQ(Members("d"), "/W /W/A/AB /W/B");
}

TEST_F(CollectionCyclesTest, ACollectionThatTwoOthersIncludeCountsForEach) {
  Collections(R"(
  rel collection:c:includes = [</W.collection:d>, </W.collection:e>]
  rel collection:d:includes = </W.collection:e>
  rel collection:d:excludes = </W/A/AA>
  rel collection:e:includes = [</W/A>, </W/A/AA>]
)");
  EXPECT_EQ(Members("c"), "/W/A /W/A/AA /W/A/AB");
}

TEST_F(CollectionCyclesTest, PropertiesCountOnlyWhereTheRuleSaysSo) {
  Collections(
      "rel collection:c:includes = </W/A>\n"
      "uniform token collection:c:expansionRule = \"expandPrimsAndProperties\"");
  EXPECT_EQ(Members("c"), "/W/A /W/A.x /W/A/AA /W/A/AB");
  Collections("rel collection:c:includes = </W/A.x>");
  EXPECT_EQ(Members("c"), "/W/A.x");
  Collections("rel collection:c:includes = </W/A>\nrel collection:c:excludes = </W/A.x>");
  EXPECT_EQ(Members("c"), "/W/A /W/A/AA /W/A/AB");
}

}  // namespace
}  // namespace stagedoor

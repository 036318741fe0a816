// Collections that include each other. Expected results come from OpenUSD.
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

// A prim /W with the collections c, d and e and the descendants A, A/AA, A/AB and B.
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
    for (const Path path : collection.ComputeMembershipQuery(scene_.context())
                               .Members(scene_.context(), PrimFlagsPredicate::Default())) {
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

// The excludes of a collection apply to the rules that it contributes, and so to all collections
// that include it.
TEST_F(CollectionCyclesTest, ExcludesApplyToEveryCollectionOfACycle) {
  Collections(R"(
  rel collection:c:includes = [</W.collection:d>, </W/A>]
  rel collection:c:excludes = </W/A/AA>
  rel collection:d:includes = [</W.collection:c>, </W/B>]
)");
  EXPECT_EQ(Members("c"), "/W/A /W/A/AB /W/B");
  EXPECT_EQ(Members("d"), "/W/A /W/A/AB /W/B");
}

TEST_F(CollectionCyclesTest, LaterIncludesOverrideExcludesOfTheCycle) {
  Collections(R"(
  rel collection:c:includes = [</W.collection:d>, </W/A>]
  rel collection:d:includes = [</W.collection:c>, </W/B>]
  rel collection:d:excludes = </W/A>
)");
  EXPECT_EQ(Members("c"), "/W/A /W/A/AA /W/A/AB /W/B");
  EXPECT_EQ(Members("d"), "/W/B");
}

TEST_F(CollectionCyclesTest, ExcludesOfTheCycleOverrideEarlierIncludes) {
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

// The rules of a collection that were truncated by a cycle are not reused where it is reached on
// another way.
TEST_F(CollectionCyclesTest, TruncatedCollectionsAreCollectedAgainFromOutside) {
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

TEST_F(CollectionCyclesTest, EachCollectionOfACycleKeepsItsExpansionRule) {
  Collections(R"(
  rel collection:c:includes = [</W.collection:d>, </W/A>]
  uniform token collection:c:expansionRule = "explicitOnly"
  rel collection:d:includes = [</W.collection:c>, </W/B>]
  uniform token collection:d:expansionRule = "expandPrimsAndProperties"
)");
  EXPECT_EQ(Members("c"), "/W/A /W/B");
  EXPECT_EQ(Members("d"), "/W/A /W/B");
}

TEST_F(CollectionCyclesTest, IncludeRootInACycleReachesAllPrims) {
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

TEST_F(CollectionCyclesTest, CyclicExpressionsTerminate) {
  Collections(R"(
  uniform pathExpression collection:c:membershipExpression = "%:d /W/A"
  uniform pathExpression collection:d:membershipExpression = "%:c /W/B - /W/A"
)");
  EXPECT_EQ(Members("c"), "/W/A /W/B");
  EXPECT_EQ(Members("d"), "/W/B");
}

// ---- Collections that do not include each other

TEST_F(CollectionCyclesTest, ExcludesApplyToDescendants) {
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

TEST_F(CollectionCyclesTest, CollectionIncludedTwiceAppliesToEachIncluder) {
  Collections(R"(
  rel collection:c:includes = [</W.collection:d>, </W.collection:e>]
  rel collection:d:includes = </W.collection:e>
  rel collection:d:excludes = </W/A/AA>
  rel collection:e:includes = [</W/A>, </W/A/AA>]
)");
  EXPECT_EQ(Members("c"), "/W/A /W/A/AA /W/A/AB");
}

TEST_F(CollectionCyclesTest, PropertiesAreMembersOnlyIfTheRuleExpandsToThem) {
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

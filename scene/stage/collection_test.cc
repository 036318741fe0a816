#include "scene/stage/collection.h"

#include <algorithm>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "scene/stage/property.h"
#include "scene/stage/stage.h"
#include "scene/testing/test_scene.h"

namespace stagedoor {
namespace {

constexpr char kHead[] = R"(def "W" (
  prepend apiSchemas = ["CollectionAPI:c", "CollectionAPI:d"]
)
{
)";
constexpr char kTail[] = R"(  def "A" (
    kind = "component"
  )
  {
    int x = 1
    rel r
    int collection:zz
    def "AA" {
    }
    def "AB" {
      int y = 1
    }
  }
  def "B" {
    int x = 2
  }
}
def "O" {
  def "P" {
  }
}
over "Ov" {
}
class "Cl" {
}
def "In" (
  active = false
)
{
}
def Xform "M" (
  kind = "assembly"
)
{
  def Mesh "G" (
    kind = "component"
    prepend apiSchemas = ["CollectionAPI:plastic", "MaterialBindingAPI"]
    variants = {
      string look = "red"
    }
    prepend variantSets = "look"
  )
  {
    variantSet "look" = {
      "red" {
      }
    }
    def Sphere "s" (
      kind = "subcomponent"
    )
    {
    }
  }
  def Xform "Gr" (
    kind = "group"
  )
  {
  }
}
)";

std::string Joined(const std::vector<Path>& paths) {
  std::vector<std::string> texts;
  for (const Path path : paths) texts.push_back(path.ToString());
  std::sort(texts.begin(), texts.end());
  std::string joined;
  for (const std::string& text : texts) joined += (joined.empty() ? "" : " ") + text;
  return joined;
}

struct Case {
  const char* body;
  CollectionMembershipQuery::Mode mode;
  const char* members;
};
constexpr Case kCases[] = {
#include "scene/stage/collection_cases.inc"
#include "scene/values/path_expression_value.h"
};

class CollectionTest : public testing::Test {
 protected:
  std::string Members(const Stage& stage, const char* prim, const char* name,
                      PrimFlagsPredicate predicate = PrimFlagsPredicate::All()) {
    const Collection collection(stage.FindPrim(prim), Token(name));
    return Joined(
        collection.ComputeMembershipQuery(scene_.context()).Members(scene_.context(), predicate));
  }
  std::string Expression(const Stage& stage, const char* path) {
    const Attribute attribute(stage.FindProperty(P(path)));
    const Value value = attribute.Get(scene_.context(), TimeCode::Default());
    const PathExpressionValue* expression = value.Get<PathExpressionValue>();
    return expression ? expression->text : "no expression";
  }

  TestScene scene_;
};

TEST_F(CollectionTest, HasTheMembersThatOpenUsdFinds) {
  int number = 0;
  for (const Case& c : kCases) {
    SCOPED_TRACE(c.body);
    const std::string name = "c" + std::to_string(number++) + ".usda";
    scene_.Write(name, std::string(kHead) + c.body + "\n" + kTail);
    const auto stage = scene_.Open(name);
    ASSERT_TRUE(stage);
    const Collection collection(stage->FindPrim("/W"), Token("c"));
    const CollectionMembershipQuery membership =
        collection.ComputeMembershipQuery(scene_.context());
    EXPECT_EQ(membership.mode(), c.mode);
    const std::vector<Path> members =
        membership.Members(scene_.context(), PrimFlagsPredicate::All());
    EXPECT_EQ(Joined(members), c.members);
    for (const Path member : members) EXPECT_TRUE(membership.Includes(member)) << member.ToString();
  }
}

TEST_F(CollectionTest, IncludesInstanceProxiesOnRequest) {
  scene_.Write("a.usda", R"(
def "Src" {
  def "G" {
    def "s" {
      int own = 1
    }
  }
}
def "I" (
  instanceable = true
  references = </Src>
)
{
}
def "W" (
  prepend apiSchemas = ["CollectionAPI:a", "CollectionAPI:b", "CollectionAPI:c", "CollectionAPI:e"]
)
{
  rel collection:a:includes = </I>
  rel collection:b:includes = </I/G>
  rel collection:c:includes = [</I/G/s.own>, </I/G/s>]
  uniform token collection:c:expansionRule = "expandPrimsAndProperties"
  pathExpression collection:e:membershipExpression = "/I//"
}
)");
  const auto stage = scene_.Open("a.usda");
  ASSERT_TRUE(stage);
  const PrimFlagsPredicate proxies = PrimFlagsPredicate::All().WithInstanceProxies();
  EXPECT_EQ(Members(*stage, "/W", "a"), "/I");
  EXPECT_EQ(Members(*stage, "/W", "a", proxies), "/I /I/G /I/G/s");
  EXPECT_EQ(Members(*stage, "/W", "b"), "/I/G /I/G/s");
  EXPECT_EQ(Members(*stage, "/W", "c"), "/I/G/s /I/G/s.own");
  EXPECT_EQ(Members(*stage, "/W", "e"), "/I");
  EXPECT_EQ(Members(*stage, "/W", "e", proxies), "/I /I/G /I/G/s");
  EXPECT_EQ(Collection::AllOf(stage->FindPrim("/W")).size(), 4);
  EXPECT_EQ(Collection::AllOf(stage->FindPrim("/W"))[1].path(), P("/W.collection:b"));
}

TEST_F(CollectionTest, OwnRuleForTheRootOverridesIncludedCollections) {
  scene_.Write("a.usda", R"(
def "W" (
  prepend apiSchemas = ["CollectionAPI:a", "CollectionAPI:b"]
)
{
  int x
  uniform bool collection:a:includeRoot = true
  rel collection:a:includes = </W.collection:b>
  uniform bool collection:b:includeRoot = true
  uniform token collection:b:expansionRule = "nonsense"
}
)");
  const auto stage = scene_.Open("a.usda");
  ASSERT_TRUE(stage);
  EXPECT_EQ(Members(*stage, "/W", "a"), "/W");
  EXPECT_EQ(Members(*stage, "/W", "b"), "");
}

TEST_F(CollectionTest, NamedInstanceProxiesFollowTheirOwnRule) {
  scene_.Write("a.usda", R"(
def "Src" {
  int x
  def "G" {
    int x
  }
}
def "I" (
  instanceable = true
  references = </Src>
)
{
}
def "W" (
  prepend apiSchemas = ["CollectionAPI:a", "CollectionAPI:b"]
)
{
  uniform token collection:a:expansionRule = "expandPrimsAndProperties"
  rel collection:a:includes = [</I>, </W.collection:b>]
  rel collection:b:includes = </I/G>
}
)");
  const auto stage = scene_.Open("a.usda");
  ASSERT_TRUE(stage);
  EXPECT_EQ(Members(*stage, "/W", "a"), "/I /I.x /I/G");
}

TEST_F(CollectionTest, ExpressionsAreTranslatedAndComposed) {
  scene_.Write("weak.usda", R"(
def "W" {
  pathExpression e = "/W/C //Foo /X %/W:c %/X:d %:e"
  pathExpression w = "/W/*"
  pathExpression up = ". .. ../.."
}
)");
  scene_.Write("a.usda", R"(
def "R" (
  references = @./weak.usda@</W>
)
{
  pathExpression w = "%_ - R/Old + New"
}
def "V" (
  variants = {
    string v = "a"
  }
  prepend variantSets = "v"
)
{
  variantSet "v" = {
    "a" {
      pathExpression e = ". C"
    }
  }
}
)");
  const auto stage = scene_.Open("a.usda");
  ASSERT_TRUE(stage);
  EXPECT_EQ(Expression(*stage, "/R.e"), "/R/C //Foo %/R:c %:e");
  EXPECT_EQ(Expression(*stage, "/R.w"), "/R/* - /R/R/Old + /R/New");
  EXPECT_EQ(Expression(*stage, "/R.up"), "/R");
  EXPECT_EQ(Expression(*stage, "/V.e"), "/V /V/C");
}

TEST_F(CollectionTest, DeepNestingIsLimited) {
  std::string body;
  for (int i = 0; i < 100; ++i) {
    const std::string next = std::to_string(i + 1);
    const std::string name = "n" + std::to_string(i);
    body += "  rel collection:" + name + ":includes = [</W.collection:n" + next +
            ">, </W.collection:n" + next + "b>]\n";
    body += "  rel collection:" + name + "b:includes = [</W.collection:n" + next +
            ">, </W.collection:n" + next + "b>, </W.collection:n0>]\n";
    body += "  pathExpression collection:" + name + ":membershipExpression = \"%:n" + next +
            " %:n" + next + "\"\n";
  }
  scene_.Write("a.usda", std::string("def \"W\" {\n") + body + "}\n");
  const auto stage = scene_.Open("a.usda");
  ASSERT_TRUE(stage);
  EXPECT_EQ(Members(*stage, "/W", "n0"), "");
}

}  // namespace
}  // namespace stagedoor

// Inheritance of visibility, purpose and primvars. Expected results come from OpenUSD.
#include <string>
#include <string_view>
#include <vector>

#include "base/strings.h"
#include "gtest/gtest.h"
#include "scene/geom/imageable.h"
#include "scene/geom/primvar.h"
#include "scene/testing/answers_fixture.h"

namespace stagedoor {
namespace {

class InheritanceTest : public AnswersTest {
 protected:
  std::string Visibility(std::string_view path, double time = 0) {
    return ComputeVisibility(scene_.context(), stage().FindPrim(path), TimeCode::At(time)).str();
  }
  std::string VisibilityByDefault(std::string_view path) {
    return ComputeVisibility(scene_.context(), stage().FindPrim(path), TimeCode::Default()).str();
  }
  std::string Purpose(std::string_view path) {
    return ComputePurposeInfo(scene_.context(), stage().FindPrim(path)).purpose.str();
  }
  // The paths of the attributes that supply the prim's primvars.
  std::string Primvars(std::string_view path) {
    std::vector<std::string> paths;
    for (const Primvar& primvar :
         FindPrimvarsWithInheritance(scene_.context(), stage().FindPrim(path))) {
      paths.push_back(primvar.attribute().path().ToString());
    }
    return Join(paths, " ");
  }
  std::string PrimvarFor(std::string_view path, std::string_view name) {
    const auto primvar = FindPrimvarWithInheritance(scene_.context(), stage().FindPrim(path), name);
    return primvar ? primvar->attribute().path().ToString() : "-";
  }
  std::string Flattened(std::string_view path, double time = 0) {
    return Text(Primvar(Find(path)).ComputeFlattened(scene_.context(), TimeCode::At(time)));
  }
  std::string InterpolationOf(std::string_view path) {
    return Primvar(Find(path)).Interpolation(scene_.context()).str();
  }
  std::string ElementSizeOf(std::string_view path) {
    return Concat(Primvar(Find(path)).ElementSize(scene_.context()));
  }
};

TEST_F(InheritanceTest, InvisiblePrimsHideTheirDescendants) {
  Write("root.usda", R"(
def Xform "A" {
  token visibility = "invisible"
  def Xform "B" {
    token visibility = "inherited"
    def Cube "C" {}
  }
}
def Xform "D" { def Cube "E" {
    token visibility = "invisible"
  }
}
)");
  EXPECT_EQ(Visibility("/A"), "invisible");
  EXPECT_EQ(Visibility("/A/B"), "invisible");
  EXPECT_EQ(Visibility("/A/B/C"), "invisible");
  EXPECT_EQ(Visibility("/D"), "inherited");
  EXPECT_EQ(Visibility("/D/E"), "invisible");
}

TEST_F(InheritanceTest, VisibilityIsEvaluatedAtTheTime) {
  Write("root.usda", R"(
def Xform "A" {
  token visibility = "invisible"
  token visibility.timeSamples = { 1: "inherited", 3: "invisible" }
  def Cube "B" {}
}
)");
  EXPECT_EQ(Visibility("/A/B", 0), "inherited");
  EXPECT_EQ(Visibility("/A/B", 2), "inherited");
  EXPECT_EQ(Visibility("/A/B", 3), "invisible");
  EXPECT_EQ(VisibilityByDefault("/A/B"), "invisible");
}

TEST_F(InheritanceTest, VisibilityPassesThroughPrimsWithoutAType) {
  Write("root.usda", R"(
def Xform "A" {
  token visibility = "invisible"
  def "T" { def Cube "B" {}
  }
}
def "T" {
  token visibility = "invisible"
  def Cube "B" {}
}
def Cube "Odd" { token visibility = "hidden"; }
)");
  EXPECT_EQ(Visibility("/A/T/B"), "invisible");
  EXPECT_EQ(Visibility("/T/B"), "inherited");
  EXPECT_EQ(Visibility("/Odd"), "inherited");
}

TEST_F(InheritanceTest, PurposesAreInheritedUntilOverridden) {
  Write("root.usda", R"(
def Xform "A" {
  uniform token purpose = "guide"
  def Xform "B" {
    def Cube "C" {}
    def Cube "Own" { uniform token purpose = "proxy"; }
    def Cube "Default" { uniform token purpose = "default"; }
    def Cube "Blocked" { uniform token purpose = None; }
  }
  def "T" {
    uniform token purpose = "render"
    def Cube "C" {}
  }
}
def Xform "None" { def Cube "C" {}
}
)");
  EXPECT_EQ(Purpose("/A"), "guide");
  EXPECT_EQ(Purpose("/A/B"), "guide");
  EXPECT_EQ(Purpose("/A/B/C"), "guide");
  EXPECT_EQ(Purpose("/A/B/Own"), "proxy");
  EXPECT_EQ(Purpose("/A/B/Default"), "default");
  EXPECT_EQ(Purpose("/A/B/Blocked"), "guide");
  EXPECT_EQ(Purpose("/A/T/C"), "guide");
  EXPECT_EQ(Purpose("/None/C"), "default");
}

TEST_F(InheritanceTest, ConstantPrimvarsAreInherited) {
  Write("root.usda", R"(
def Xform "A" {
  float[] primvars:constant = [1] (interpolation = "constant")
  float[] primvars:silent = [1]
  float[] primvars:uniform = [1] (interpolation = "uniform")
  float[] primvars:vertex = [1] (interpolation = "vertex")
  float primvars:unset
  float primvars:blocked = None
  float primvars:animated.timeSamples = { 0: 1 }
  def Xform "B" {}
}
)");
  EXPECT_EQ(Primvars("/A"),
            "/A.primvars:animated /A.primvars:constant /A.primvars:silent /A.primvars:uniform "
            "/A.primvars:vertex");
  EXPECT_EQ(Primvars("/A/B"), "/A.primvars:animated /A.primvars:constant /A.primvars:silent");
  EXPECT_EQ(PrimvarFor("/A/B", "constant"), "/A.primvars:constant");
  EXPECT_EQ(PrimvarFor("/A/B", "silent"), "/A.primvars:silent");
  EXPECT_EQ(PrimvarFor("/A/B", "vertex"), "-");
  EXPECT_EQ(PrimvarFor("/A", "vertex"), "/A.primvars:vertex");
  EXPECT_EQ(PrimvarFor("/A/B", "unset"), "-");
  EXPECT_EQ(PrimvarFor("/A/B", "animated"), "/A.primvars:animated");
}

TEST_F(InheritanceTest, ANearerPrimvarHidesTheAncestors) {
  Write("root.usda", R"(
def Xform "A" {
  float primvars:a = 1
  float primvars:b = 1
  float primvars:c = 1
  def Xform "B" {
    float primvars:a = 2
    float[] primvars:b = [2] (interpolation = "vertex")
    float primvars:c = None
    def Cube "C" {}
  }
}
)");
  EXPECT_EQ(Primvars("/A/B"), "/A/B.primvars:a /A/B.primvars:b /A.primvars:c");
  EXPECT_EQ(Primvars("/A/B/C"), "/A/B.primvars:a /A.primvars:c");
  EXPECT_EQ(PrimvarFor("/A/B/C", "a"), "/A/B.primvars:a");
  EXPECT_EQ(PrimvarFor("/A/B/C", "b"), "-");
  EXPECT_EQ(PrimvarFor("/A/B/C", "c"), "/A.primvars:c");
}

// A primvar takes the position of the ancestor's primvar that it replaces; the last primvar takes
// the position of one that is hidden.
TEST_F(InheritanceTest, PrimvarsAreInOpenUsdsOrder) {
  Write("root.usda", R"(
def Xform "A" {
  float primvars:a = 1
  float primvars:b = 1
  float primvars:c = 1
  float primvars:d = 1
  def Xform "B" {
    float primvars:aa = 3
    float[] primvars:b = [1] (interpolation = "vertex")
    float primvars:d = 3
    def Xform "C" {
      float primvars:a = 3
      float primvars:b = 3
      def Xform "D" {}
    }
  }
}
)");
  EXPECT_EQ(Primvars("/A/B"),
            "/A.primvars:a /A/B.primvars:b /A.primvars:c /A/B.primvars:d /A/B.primvars:aa");
  EXPECT_EQ(Primvars("/A/B/C"),
            "/A/B/C.primvars:a /A/B.primvars:aa /A.primvars:c /A/B.primvars:d /A/B/C.primvars:b");
  EXPECT_EQ(Primvars("/A/B/C/D"),
            "/A/B/C.primvars:a /A/B.primvars:aa /A.primvars:c /A/B.primvars:d /A/B/C.primvars:b");
}

TEST_F(InheritanceTest, IndicesAreNotPrimvars) {
  Write("root.usda", R"(
def Xform "A" {
  float[] primvars:p = [5, 6]
  int[] primvars:p:indices = [1, 0, 1]
  float[] primvars:ns:q = [7]
}
)");
  EXPECT_EQ(Primvars("/A"), "/A.primvars:ns:q /A.primvars:p");
}

TEST_F(InheritanceTest, IndicesPickElements) {
  Write("root.usda", R"(
def Mesh "M" {
  float[] primvars:p = [5, 6, 7] (interpolation = "vertex")
  int[] primvars:p:indices = [2, 0, 2, 1]
  float[] primvars:pairs = [1, 2, 3, 4] (elementSize = 2; interpolation = "vertex")
  int[] primvars:pairs:indices = [1, 0, 1]
  float[] primvars:plain = [5, 6]
  float[] primvars:far = [5, 6]
  int[] primvars:far:indices = [0, 2]
  float[] primvars:negative = [5, 6]
  int[] primvars:negative:indices = [0, -1]
  float[] primvars:blocked = [5, 6]
  int[] primvars:blocked:indices = None
  string[] primvars:s = ["a", "b"]
  int[] primvars:s:indices = [1, 1, 0]
  float[] primvars:moving = [5, 6]
  int[] primvars:moving:indices.timeSamples = { 0: [0], 4: [1] }
}
)");
  EXPECT_EQ(Flattened("/M.primvars:p"), "[7, 5, 7, 6]");
  EXPECT_EQ(Flattened("/M.primvars:pairs"), "[3, 4, 1, 2, 3, 4]");
  EXPECT_EQ(Flattened("/M.primvars:plain"), "[5, 6]");
  EXPECT_EQ(Flattened("/M.primvars:blocked"), "[5, 6]");
  EXPECT_EQ(Flattened("/M.primvars:s"), "[\"b\", \"b\", \"a\"]");
  EXPECT_EQ(Flattened("/M.primvars:moving", 3), "[5]");
  EXPECT_EQ(Flattened("/M.primvars:moving", 4), "[6]");
  EXPECT_EQ(InterpolationOf("/M.primvars:p"), "vertex");
  EXPECT_EQ(InterpolationOf("/M.primvars:plain"), "constant");
  EXPECT_EQ(ElementSizeOf("/M.primvars:pairs"), "2");
  EXPECT_EQ(ElementSizeOf("/M.primvars:plain"), "1");
}

TEST_F(InheritanceTest, IndicesOfASingleValueDoNotMatter) {
  Write("root.usda", R"(
def Xform "A" {
  float primvars:one = 2
  int[] primvars:one:indices = [0, 5]
  string primvars:text = "x"
  int[] primvars:text:indices.timeSamples = { 1: [0] }
  float[] primvars:wrong = [2, 3]
  uint[] primvars:wrong:indices = [1]
}
)");
  EXPECT_EQ(Flattened("/A.primvars:one"), "2");
  EXPECT_EQ(Flattened("/A.primvars:text"), "\"x\"");
  EXPECT_EQ(Flattened("/A.primvars:wrong"), "-") << "indexed, but the indices have no value";
}

TEST_F(InheritanceTest, AStringMayBeThePathThatARelationshipLeadsTo) {
  Write("root.usda", R"(
def "P" {
    string primvars:one = "text"
    rel primvars:one:idFrom = </Q>
    string primvars:forwarded = "text"
    rel primvars:forwarded:idFrom = </Q.r>
    string primvars:two = "text"
    rel primvars:two:idFrom = [</Q>, </P>]
    string primvars:none = "text"
    rel primvars:none:idFrom
    string primvars:attribute = "text"
    int primvars:attribute:idFrom = 3
    token primvars:token = "t"
    rel primvars:token:idFrom = </Q>
    string[] primvars:array = ["a"]
    rel primvars:array:idFrom = </Q>
    string[] primvars:several = ["a", "b", "c"]
    rel primvars:several:idFrom = [</Q>, </P>, </Z>]
    string[] primvars:indexed = ["a", "b"]
    int[] primvars:indexed:indices = [0, 0]
    rel primvars:indexed:idFrom = [</Q>, </P>]
}
def "Q" {
    rel r = </Z/W>
}
)");
  EXPECT_EQ(Flattened("/P.primvars:one"), "\"/Q\"");
  EXPECT_EQ(Flattened("/P.primvars:forwarded"), "\"/Z/W\"");
  EXPECT_EQ(Flattened("/P.primvars:two"), "-");
  EXPECT_EQ(Flattened("/P.primvars:none"), "-");
  EXPECT_EQ(Flattened("/P.primvars:attribute"), "\"text\"");
  EXPECT_EQ(Flattened("/P.primvars:token"), "\"t\"");
  EXPECT_EQ(Flattened("/P.primvars:array"), "-");
  EXPECT_EQ(Flattened("/P.primvars:several"), "[\"/Q\"]");
  EXPECT_EQ(Flattened("/P.primvars:indexed"), "[\"/Q\", \"/Q\"]");
}

}  // namespace
}  // namespace stagedoor

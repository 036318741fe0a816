#include "scene/geom/imageable.h"

#include <string>
#include <utility>
#include <vector>

#include "gtest/gtest.h"
#include "scene/geom/primvar.h"
#include "scene/testing/test_scene.h"

namespace stagedoor {
namespace {

constexpr const char* kTree = R"(
def Xform "A" {
  token visibility.timeSamples = { 1: "inherited", 2: "invisible" }
  uniform token purpose = "render"
  color3f[] primvars:c = [(1, 0, 0)] (interpolation = "constant")
  float[] primvars:u = [1, 2] (interpolation = "uniform")
  def Scope "S" {
    def Xform "B" {
      float[] primvars:p = [5, 6, 7] (interpolation = "vertex")
      int[] primvars:p:indices = [2, 0, 2, 1]
      color3f[] primvars:c = None
      def Sphere "R" {
        uniform token purpose = "default"
      }
      def Cube "G" {
        uniform token purpose = "guide"
        float[] primvars:c = [3] (interpolation = "constant")
      }
    }
  }
}
)";

class ImageableTest : public testing::Test {
 protected:
  ImageableTest() {
    scene_.Write("a.usda", kTree);
    stage_ = scene_.Open("a.usda");
  }
  std::string Purpose(std::string_view path) {
    return ComputePurposeInfo(scene_.context(), stage_->FindPrim(P(path))).purpose.str();
  }
  std::string Visibility(std::string_view path, double time) {
    return ComputeVisibility(scene_.context(), stage_->FindPrim(P(path)), TimeCode::At(time)).str();
  }
  // The paths of the attributes that supply the prim's primvars.
  std::vector<std::string> Primvars(std::string_view path) {
    std::vector<std::string> paths;
    for (const Primvar& primvar :
         FindPrimvarsWithInheritance(scene_.context(), stage_->FindPrim(P(path)))) {
      paths.push_back(primvar.attribute().path().ToString());
    }
    return paths;
  }
  TestScene scene_;
  std::shared_ptr<const Stage> stage_;
};

using Strings = std::vector<std::string>;

TEST_F(ImageableTest, PurposeIsInheritedWhereNoneIsAuthored) {
  EXPECT_EQ(Purpose("/A"), "render");
  EXPECT_EQ(Purpose("/A/S"), "render");
  EXPECT_EQ(Purpose("/A/S/B"), "render");
  EXPECT_EQ(Purpose("/A/S/B/R"), "default");
  EXPECT_EQ(Purpose("/A/S/B/G"), "guide");
}

// Expected results come from usd-core 26.11.
TEST_F(ImageableTest, AnyAuthoredPurposeIsAccepted) {
  scene_.Write("odd.usda", R"(
def Xform "Odd" {
  uniform token purpose = "banana"
  def Xform "Empty" {
    uniform token purpose = ""
    def Xform "Below" {
    }
  }
}
def Xform "Empty" {
  uniform token purpose = ""
  def Xform "Below" {
  }
}
)");
  stage_ = scene_.Open("odd.usda");
  EXPECT_EQ(Purpose("/Odd"), "banana");
  EXPECT_EQ(Purpose("/Odd/Empty"), "banana");
  EXPECT_EQ(Purpose("/Odd/Empty/Below"), "banana");
  EXPECT_EQ(Purpose("/Empty"), "");
  EXPECT_EQ(Purpose("/Empty/Below"), "default");
}

TEST_F(ImageableTest, DescendantsOfInvisiblePrimsAreInvisible) {
  EXPECT_EQ(Visibility("/A/S/B/G", 1), "inherited");
  EXPECT_EQ(Visibility("/A/S/B/G", 1.5), "inherited");
  EXPECT_EQ(Visibility("/A/S/B/G", 2), "invisible");
  EXPECT_EQ(Visibility("/A", 2), "invisible");
}

constexpr const char* kPurposes = R"(
def Xform "A" ( apiSchemas = ["VisibilityAPI"] ) {
  token guideVisibility.timeSamples = { 1: "visible", 2: "invisible" }
  token proxyVisibility = "invisible"
  def Scope "NoApi" {
    token guideVisibility = "invisible"
    def Mesh "M" ( apiSchemas = ["VisibilityAPI"] ) {
      token renderVisibility = "odd"
      token guideVisibility = "inherited"
    }
    def "Untyped" ( apiSchemas = ["VisibilityAPI"] ) {
      token proxyVisibility = "visible"
      def Mesh "N" ( apiSchemas = ["VisibilityAPI"] ) {}
    }
  }
  def Xform "Hidden" ( apiSchemas = ["VisibilityAPI"] ) {
    token visibility = "invisible"
    token guideVisibility = "visible"
  }
}
def Xform "B" {}
)";

// Expected results come from usd-core 26.11.
TEST_F(ImageableTest, EffectiveVisibilityIsThatOfTheClosestOpinion) {
  scene_.Write("purposes.usda", kPurposes);
  stage_ = scene_.Open("purposes.usda");
  const auto seen = [&](std::string_view path, double time) {
    std::string words;
    for (const char* purpose : {"default", "render", "proxy", "guide"}) {
      words += ComputeEffectiveVisibility(scene_.context(), stage_->FindPrim(P(path)),
                                          Token(purpose), TimeCode::At(time))
                   .str() +
               " ";
    }
    return words;
  };
  EXPECT_EQ(seen("/A", 1), "visible inherited invisible visible ");
  EXPECT_EQ(seen("/A", 2), "visible inherited invisible invisible ");
  EXPECT_EQ(seen("/A/NoApi", 1), "visible inherited invisible visible ");
  EXPECT_EQ(seen("/A/NoApi/M", 1), "visible odd invisible inherited ");
  EXPECT_EQ(seen("/A/NoApi/Untyped/N", 1), "visible inherited invisible visible ");
  EXPECT_EQ(seen("/A/Hidden", 1), "invisible invisible invisible invisible ");
  EXPECT_EQ(seen("/B", 1), "visible inherited inherited invisible ");
}

constexpr const char* kProxies = R"(
def Xform "P" {
  uniform token purpose = "proxy"
  def Mesh "Q" {}
}
def Xform "D" {}
def Xform "A" {
  uniform token purpose = "render"
  rel proxyPrim = </A.other>
  rel other = </P/Q>
  def Xform "B" {
    rel proxyPrim = </P>
    def Mesh "C" {}
    def "Untyped" {
      def Mesh "E" {}
    }
  }
  def Xform "Default" {
    uniform token purpose = "default"
    def Mesh "Render" {
      uniform token purpose = "render"
      rel proxyPrim = </P>
    }
    def Mesh "Other" {
      uniform token purpose = "render"
    }
  }
}
def Xform "Two" {
  uniform token purpose = "render"
  rel proxyPrim = [</P>, </P/Q>]
}
def Xform "Wrong" {
  uniform token purpose = "render"
  rel proxyPrim = </D>
}
def Xform "Gone" {
  uniform token purpose = "render"
  rel proxyPrim = </None>
}
)";

// Expected results come from usd-core 26.11.
TEST_F(ImageableTest, ProxiesAreThoseOfTheRootOfTheRenderPurpose) {
  scene_.Write("proxies.usda", kProxies);
  stage_ = scene_.Open("proxies.usda");
  const auto proxy = [&](std::string_view path) {
    const ProxyPrim found = ComputeProxyPrim(scene_.context(), stage_->FindPrim(P(path)));
    if (!found.proxy.valid()) return std::string("-");
    return found.proxy.PathText() + " of " + found.render_prim.PathText();
  };
  EXPECT_EQ(proxy("/A"), "/P/Q of /A");
  EXPECT_EQ(proxy("/A/B/C"), "/P/Q of /A");
  EXPECT_EQ(proxy("/A/B/Untyped"), "-") << "not imageable";
  EXPECT_EQ(proxy("/A/B/Untyped/E"), "/P/Q of /A");
  EXPECT_EQ(proxy("/A/Default"), "-");
  EXPECT_EQ(proxy("/A/Default/Render"), "/P of /A/Default/Render");
  EXPECT_EQ(proxy("/A/Default/Other"), "-");
  for (const char* path : {"/P", "/P/Q", "/D", "/Two", "/Wrong", "/Gone"}) {
    EXPECT_EQ(proxy(path), "-") << path;
  }
}

TEST_F(ImageableTest, OnlyConstantPrimvarsAreInherited) {
  EXPECT_EQ(Primvars("/A"), (Strings{"/A.primvars:c", "/A.primvars:u"}));
  // A blocked primvar has no value, so it does not hide that of the ancestor.
  EXPECT_EQ(Primvars("/A/S/B"), (Strings{"/A.primvars:c", "/A/S/B.primvars:p"}));
  EXPECT_EQ(Primvars("/A/S/B/R"), (Strings{"/A.primvars:c"}));
  EXPECT_EQ(Primvars("/A/S/B/G"), (Strings{"/A/S/B/G.primvars:c"}));
}

TEST_F(ImageableTest, IndexedPrimvarsAreFlattened) {
  const Prim b = stage_->FindPrim("/A/S/B");
  const auto primvar = FindPrimvarWithInheritance(scene_.context(), b, "p");
  ASSERT_TRUE(primvar.has_value());
  EXPECT_TRUE(primvar->IsIndexed(scene_.context()));
  EXPECT_EQ(primvar->Interpolation(scene_.context()), Token("vertex"));
  const Value flat = primvar->ComputeFlattened(scene_.context(), TimeCode::Default());
  ASSERT_TRUE(flat.Is<Array<float>>());
  EXPECT_EQ(*flat.Get<Array<float>>(), (Array<float>{7, 5, 7, 6}));
}

TEST_F(ImageableTest, FlatteningReservesMemory) {
  const Value values(Array<float>{1, 2, 3, 4});
  const Array<int> indices = Array<int>::FromVector(std::vector<int>(10000, 0));
  RequestContext context(RequestContext::Clock::time_point::max(), {.max_bytes = 100000});
  EXPECT_TRUE(FlattenIndexed(context, values, indices, 4).empty());
  EXPECT_EQ(context.Check().code(), absl::StatusCode::kResourceExhausted);
  RequestContext cancelled;
  cancelled.Cancel();
  EXPECT_TRUE(FlattenIndexed(cancelled, values, indices, 1).empty());
}

TEST_F(ImageableTest, IndicesOutOfRangeFlattenToNothing) {
  const Value values(Array<float>{1, 2, 3, 4});
  EXPECT_TRUE(FlattenIndexed(scene_.context(), values, Array<int>{0, 2}, 2).empty());
  EXPECT_TRUE(FlattenIndexed(scene_.context(), values, Array<int>{-1}, 1).empty());
  EXPECT_EQ(*FlattenIndexed(scene_.context(), values, Array<int>{1, 0}, 2).Get<Array<float>>(),
            (Array<float>{3, 4, 1, 2}));
}

TEST(FlattenIndexedTest, GroupsOfElementsArePicked) {
  RequestContext context;
  const Value numbers(Array<int>{1, 2, 3, 4, 5, 6, 7});
  const auto flat = [&](const Array<int>& indices, int size) {
    return FlattenIndexed(context, numbers, indices, size);
  };
  EXPECT_EQ(flat({6, 0}, 1), Value(Array<int>{7, 1}));
  EXPECT_EQ(flat({2, 0, 2}, 2), Value(Array<int>{5, 6, 1, 2, 5, 6}))
      << "the last element is not a whole group";
  EXPECT_EQ(flat({}, 2), Value(Array<int>()));
  EXPECT_EQ(flat({0}, 7), numbers);
  for (const auto& [indices, size] : std::vector<std::pair<Array<int>, int>>{
           {{7}, 1}, {{3}, 2}, {{-1}, 1}, {{0, 9}, 1}, {{0}, 8}, {{0}, 0}, {{0}, -1}}) {
    EXPECT_TRUE(flat(indices, size).empty()) << indices[0] << " of " << size;
  }
  EXPECT_TRUE(FlattenIndexed(context, Value(1), {0}, 1).empty());
}

TEST(PrimvarNameTest, NamesOfIndicesAreNotPrimvarNames) {
  for (const char* name : {"primvars:a", "primvars:a:b", "primvars:aindices"}) {
    EXPECT_TRUE(Primvar::IsPrimvarName(name)) << name;
  }
  for (const char* name : {"primvars:", "primvar:a", "a", "", "primvars:a:indices", "xprimvars:a",
                           "primvars:indices"}) {
    EXPECT_FALSE(Primvar::IsPrimvarName(name)) << name;
  }
}

}  // namespace
}  // namespace stagedoor

#include "scene/lux/light_list.h"

#include <string>
#include <string_view>
#include <vector>

#include "gtest/gtest.h"
#include "scene/stage/stage.h"
#include "scene/testing/test_scene.h"

namespace stagedoor {
namespace {

using Texts = std::vector<std::string>;

class LightListTest : public testing::Test {
 protected:
  void Open(std::string_view text) {
    scene_.Write("a.usda", text);
    stage_ = scene_.Open("a.usda");
  }
  static Texts PathTexts(const std::vector<Path>& paths) {
    Texts texts;
    for (const Path path : paths) texts.push_back(path.ToString());
    return texts;
  }
  Texts List(std::string_view root, LightListMode mode = LightListMode::kIgnoreCache) {
    return PathTexts(ComputeLightList(scene_.context(), stage_->FindPrim(P(root)), mode));
  }
  std::string ShaderId(std::string_view path, const std::vector<std::string>& contexts) {
    return std::string(LightShaderId(scene_.context(), stage_->FindPrim(P(path)), contexts).text());
  }

  TestScene scene_;
  std::shared_ptr<const Stage> stage_;
};

TEST_F(LightListTest, LightsAndFiltersOfAllKindsAreListed) {
  Open(R"(
def SphereLight "A" {
  def Mesh "Lit" (apiSchemas = ["MeshLightAPI"]) {
  }
  def Mesh "Plain" {
  }
}
def LightFilter "Filter" {
}
def Scope "Off" (active = false) {
  def SphereLight "L" {
  }
}
over SphereLight "Over" {
}
class SphereLight "Class" {
}
def Scope "Asset" {
  def DomeLight "Dome" {
  }
}
def "I" (
  references = </Asset>
  instanceable = true
) {
})");
  EXPECT_EQ(List("/"), (Texts{"/A", "/A/Lit", "/Asset/Dome", "/Filter", "/I/Dome"}));
  EXPECT_EQ(List("/A"), (Texts{"/A", "/A/Lit"}));
  EXPECT_EQ(List("/Asset"), Texts{"/Asset/Dome"});
}

TEST_F(LightListTest, LightsOfNestedInstancesAreListedForEachOfThem) {
  Open(R"(
def Scope "Dark" {
  def Mesh "Plain" {
  }
}
def Scope "Lamp" {
  def Scope "Deep" {
    def SphereLight "Bulb" {
    }
  }
}
def Scope "Room" {
  def "Dark1" (instanceable = true; references = </Dark>) {
  }
  def "Dark2" (instanceable = true; references = </Dark>) {
  }
  def "Lamp1" (instanceable = true; references = </Lamp>) {
  }
  def "Lamp2" (instanceable = true; references = </Lamp>) {
  }
}
def "Room1" (instanceable = true; references = </Room>) {
}
def "Room2" (instanceable = true; references = </Room>) {
}
def "Dark3" (instanceable = true; references = </Dark>) {
}
def "Lamp3" (instanceable = true; references = </Lamp>) {
}
)");
  const Texts all = {"/Lamp/Deep/Bulb",        "/Lamp3/Deep/Bulb",       "/Room/Lamp1/Deep/Bulb",
                     "/Room/Lamp2/Deep/Bulb",  "/Room1/Lamp1/Deep/Bulb", "/Room1/Lamp2/Deep/Bulb",
                     "/Room2/Lamp1/Deep/Bulb", "/Room2/Lamp2/Deep/Bulb"};
  EXPECT_EQ(List("/"), all);
  EXPECT_EQ(List("/Room2"), (Texts{"/Room2/Lamp1/Deep/Bulb", "/Room2/Lamp2/Deep/Bulb"}));
  EXPECT_EQ(List("/Room2/Lamp2"), Texts{"/Room2/Lamp2/Deep/Bulb"});
  EXPECT_EQ(List("/Dark3"), Texts{});
}

TEST_F(LightListTest, CachedListsTakeTheirPlace) {
  Open(R"(
def Xform "W" (kind = "group") {
  def SphereLight "NoModel" {
  }
  def SphereLight "Model" (kind = "component") {
  }
  def Xform "Halt" (kind = "group") {
    rel lightList = [</W/Halt/Deep>, </Gone>]
    token lightList:cacheBehavior = "consumeAndHalt"
    def SphereLight "Deep" {
    }
    def SphereLight "Below" (kind = "component") {
    }
  }
  def Xform "Continue" (kind = "group") {
    rel lightList = </W/NoModel>
    token lightList:cacheBehavior = "consumeAndContinue"
    def SphereLight "Below" (kind = "component") {
    }
  }
  def Xform "Ignore" (kind = "group") {
    rel lightList = </Other>
    token lightList:cacheBehavior = "ignore"
  }
})");
  EXPECT_EQ(List("/", LightListMode::kConsultModelHierarchyCache),
            (Texts{"/Gone", "/W/Continue/Below", "/W/Halt/Deep", "/W/Model", "/W/NoModel"}));
  EXPECT_EQ(List("/"), (Texts{"/W/Continue/Below", "/W/Halt/Below", "/W/Halt/Deep", "/W/Model",
                              "/W/NoModel"}));
}

TEST_F(LightListTest, ShaderIdsDependOnRenderContexts) {
  Open(R"(
def SphereLight "L" {
  token ri:light:shaderId = "PxrLight"
  token odd:light:shaderId = ""
}
def LightFilter "F" {
  token lightFilter:shaderId = "Barn"
  token ri:lightFilter:shaderId = "PxrBarn"
}
)");
  EXPECT_EQ(ShaderId("/L", {}), "SphereLight");
  EXPECT_EQ(ShaderId("/L", {"odd", "ri"}), "PxrLight");
  EXPECT_EQ(ShaderId("/L", {"odd", "never heard of"}), "SphereLight");
  EXPECT_EQ(ShaderId("/F", {}), "Barn");
  EXPECT_EQ(ShaderId("/F", {"ri"}), "PxrBarn");
}

TEST_F(LightListTest, FiltersAndPortalsAreForwarded) {
  Open(R"(
def DomeLight "L" {
  rel light:filters = </Names.all>
  rel portals = </P>
}
def Scope "Names" {
  rel all = [</F>, </G>]
}
)");
  const Prim light = stage_->FindPrim(P("/L"));
  EXPECT_EQ(PathTexts(LightFilters(scene_.context(), light)), (Texts{"/F", "/G"}));
  EXPECT_EQ(PathTexts(LightPortals(scene_.context(), light)), Texts{"/P"});
  EXPECT_EQ(PathTexts(LightPortals(scene_.context(), stage_->FindPrim(P("/Names")))), Texts{});
}

}  // namespace
}  // namespace stagedoor

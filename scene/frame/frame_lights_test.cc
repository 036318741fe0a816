// The lights of a frame, and the prims that they are linked to.
#include "scene/frame/frame_lights.h"

#include <algorithm>
#include <string>
#include <string_view>

#include "scene/frame/testing/frame_fixture.h"

namespace stagedoor {
namespace {

class FrameLightsTest : public FrameTest {
 protected:
  std::string Lights() const {
    std::vector<std::string> paths;
    for (const FrameLight& light : plan_->lights) paths.push_back(light.prim.PathText());
    return Join(paths, " ");
  }
  const FrameLight& Light(std::string_view path) const {
    static const FrameLight kNone;
    for (const FrameLight& light : plan_->lights) {
      if (light.prim.PathText() == path) return light;
    }
    ADD_FAILURE() << "no light " << path;
    return kNone;
  }
  // The paths of the lights of a set.
  std::string SetOf(FrameId id) const {
    for (const FrameLightSet& set : plan_->light_sets) {
      if (set.id != id) continue;
      EXPECT_TRUE(std::is_sorted(set.lights.begin(), set.lights.end()));
      std::string paths;
      for (const FrameLight& light : plan_->lights) {
        const bool has =
            std::find(set.lights.begin(), set.lights.end(), light.id) != set.lights.end();
        if (has) paths += light.prim.PathText();
      }
      return paths;
    }
    return "no set";
  }
};

TEST_F(FrameLightsTest, AllLightsAndFiltersAreListed) {
  Plan(R"(
def Xform "B" {
  def SphereLight "Key" {
    rel light:filters = [</F>, </Gone>]
    double xformOp:translateX.timeSamples = { 0: 0, 1: 1 }
    uniform token[] xformOpOrder = ["xformOp:translateX"]
    token visibility.timeSamples = { 0: "inherited", 1: "invisible" }
    float inputs:intensity.timeSamples = { 0: 0, 1: 1 }
    float inputs:own.timeSamples = { 0: 0, 1: 1 }
    float inputs:exposure = 3
  }
}
def DomeLight "A" {
  rel portals = </P>
  token visibility = "invisible"
}
def PortalLight "P" {}
def LightFilter "F" {}
)");
  EXPECT_EQ(Lights(), "/A /B/Key /F /P");
  const FrameLight& key = Light("/B/Key");
  EXPECT_EQ(key.filters, std::vector<FrameId>{Light("/F").id}) << "those that there are";
  EXPECT_EQ(Light("/A").portals, std::vector<FrameId>{Light("/P").id});
  EXPECT_TRUE(Light("/F").is_filter);
  EXPECT_TRUE(key.moves);
  EXPECT_TRUE(key.blinks);
  EXPECT_EQ(Names(key.varying), "inputs:intensity inputs:own");
  EXPECT_FALSE(Light("/A").visible);
  EXPECT_FALSE(Light("/A").moves);
  EXPECT_EQ(plan_->varying_lights, (std::vector<uint32_t>{1}));
  EXPECT_EQ(Rows(), "") << "lights are not drawn";
}

TEST_F(FrameLightsTest, LightsBelowTheRootsThatAreNotExcluded) {
  Open(R"(
def Xform "A" {
  def SphereLight "L" {}
  def Xform "Off" {
    def SphereLight "L" {}
  }
}
def SphereLight "B" {}
)");
  selection_.roots = FindAll({"/A", "/A/L"});
  selection_.excluded = FindAll({"/A/Off"});
  Plan();
  EXPECT_EQ(Lights(), "/A/L");
}

TEST_F(FrameLightsTest, MeshLightsAreDrawn) {
  Plan(R"(
def Material "Look" {}
def Mesh "M" (
  prepend apiSchemas = ["MeshLightAPI"]
) {
  rel material:binding = </Look>
  point3f[] points = [(0, 0, 0)]
  float inputs:intensity = 3
}
def SphereLight "S" {
  rel material:binding = </Look>
}
)");
  EXPECT_EQ(Light("/M").geometry, Row("/M").id);
  EXPECT_NE(Light("/M").id, Row("/M").id);
  EXPECT_EQ(Light("/M").material, plan_->materials[0].id);
  EXPECT_EQ(Light("/S").geometry, 0u);
  EXPECT_EQ(Light("/S").material, 0u);
  const std::string of_light = Names(FrameAttributesOf(context(), Light("/M")));
  EXPECT_NE(of_light.find("inputs:intensity"), std::string::npos) << of_light;
  EXPECT_EQ(of_light.find("points"), std::string::npos) << of_light;
  const std::string of_mesh = Attributes("/M");
  EXPECT_EQ(of_mesh.find("inputs:"), std::string::npos) << of_mesh;
  EXPECT_NE(of_mesh.find("points"), std::string::npos) << of_mesh;
}

TEST_F(FrameLightsTest, PrimsWithTheSameLightsHaveOneSet) {
  Plan(R"(
def SphereLight "K" {
  rel collection:lightLink:excludes = [</A>, </C>]
}
def SphereLight "L" {
  rel collection:shadowLink:excludes = </A>
}
def LightFilter "F" {}
def Mesh "A" {}
def Mesh "B" {}
def Mesh "C" {}
)");
  EXPECT_EQ(Row("/B").light_set, kAllLights);
  EXPECT_EQ(Row("/B").shadow_set, kAllLights);
  EXPECT_EQ(SetOf(kAllLights), "/K/L") << "filters light nothing";
  EXPECT_EQ(SetOf(Row("/A").light_set), "/L");
  EXPECT_EQ(Row("/C").light_set, Row("/A").light_set);
  EXPECT_EQ(SetOf(Row("/A").shadow_set), "/K");
  EXPECT_EQ(plan_->light_sets.size(), 3u);
  const FrameId id = Row("/A").light_set;
  Plan(R"(
def SphereLight "L" {}
def SphereLight "M" {
  bool collection:lightLink:includeRoot = false
}
def Mesh "A" {}
)");
  EXPECT_EQ(Row("/A").light_set, id) << "it is named after its contents";
}

TEST_F(FrameLightsTest, WithoutLightsTheSetOfAllIsEmpty) {
  Plan("def Mesh \"A\" {}\n");
  EXPECT_EQ(Row("/A").light_set, kAllLights);
  ASSERT_EQ(plan_->light_sets.size(), 1u);
  EXPECT_TRUE(plan_->light_sets[0].lights.empty());
}

TEST_F(FrameLightsTest, PassesHaveMembers) {
  Open(R"(
def RenderPass "Pass" {
  rel collection:matte:includes = </A>
}
def Mesh "A" {}
def Mesh "B" {}
)");
  selection_.render_pass = Find("/Pass");
  Plan();
  EXPECT_EQ(Row("/A").pass_members, 1 + 2 + 8);
  EXPECT_EQ(Row("/B").pass_members, 1 + 2);
}

}  // namespace
}  // namespace stagedoor

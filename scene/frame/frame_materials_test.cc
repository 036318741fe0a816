// Which materials the prims of a frame are bound to.
#include "scene/frame/frame_materials.h"

#include <string>
#include <string_view>

#include "scene/frame/testing/frame_fixture.h"

namespace stagedoor {
namespace {

class FrameMaterialsTest : public FrameTest {
 protected:
  // The path of a material; "-" for none.
  std::string PathOf(FrameId id) const {
    for (const FrameMaterial& material : plan_->materials) {
      if (material.id == id) return material.prim.PathText();
    }
    EXPECT_EQ(id, 0u);
    return "-";
  }
  std::string MaterialOf(std::string_view row) const { return PathOf(Row(row).material); }
  // The subsets, each with its material.
  std::string Subsets() const {
    std::string text;
    for (const FrameSubset& subset : plan_->subsets) {
      text += Concat(text.empty() ? "" : " ", subset.subset.prim.PathText(), "=",
                     PathOf(subset.material));
    }
    return text;
  }
};

constexpr std::string_view kLooks = R"(
def Scope "Looks" {
  def Material "red" {}
  def Material "blue" {}
}
)";

TEST_F(FrameMaterialsTest, EachMaterialIsThereOnce) {
  Plan(Concat(kLooks, R"(
def Xform "A" {
  rel material:binding = </Looks/red>
  def Mesh "M" {}
  def Mesh "N" {
    rel material:binding = </Looks/blue>
  }
  def Mesh "O" {}
  def Mesh "Broken" {
    rel material:binding = </Looks/green>
  }
}
def Mesh "Plain" {}
)"));
  EXPECT_EQ(MaterialOf("/A/M"), "/Looks/red");
  EXPECT_EQ(MaterialOf("/A/N"), "/Looks/blue");
  EXPECT_EQ(MaterialOf("/A/O"), "/Looks/red");
  EXPECT_EQ(MaterialOf("/A/Broken"), "-");
  EXPECT_EQ(MaterialOf("/Plain"), "-");
  EXPECT_EQ(plan_->materials.size(), 2u);
}

TEST_F(FrameMaterialsTest, PurposesAreTriedInOrder) {
  Open(Concat(kLooks, R"(
def Mesh "M" {
  rel material:binding = </Looks/red>
  rel material:binding:preview = </Looks/blue>
}
)"));
  Plan();
  EXPECT_EQ(MaterialOf("/M"), "/Looks/red");
  selection_.material_purposes = {"full", "preview", ""};
  Plan();
  EXPECT_EQ(MaterialOf("/M"), "/Looks/blue");
  selection_.material_purposes = {"full"};
  Plan();
  EXPECT_EQ(MaterialOf("/M"), "-");
}

constexpr std::string_view kModel = R"(
class "Model" {
  def Material "Look" {}
  def Mesh "Own" {
    rel material:binding = </Model/Look>
  }
  def Mesh "Inherits" {}
  def Xform "Part" {
    rel material:binding:other = </Model/Look>
    def Mesh "Inner" {}
  }
}
)";

std::string Instance(std::string_view name, std::string_view properties = "") {
  return Concat("def Xform \"", name, "\" (\ninstanceable = true\ninherits = </Model>\n) {\n",
                properties, "\n}\n");
}

TEST_F(FrameMaterialsTest, MaterialsInInstancesAreOne) {
  Plan(Concat(kModel, Instance("A"), Instance("B")));
  EXPECT_EQ(MaterialOf("/A/Own"), "/A/Look");
  EXPECT_EQ(MaterialOf("/B/Own"), "/A/Look");
  EXPECT_EQ(MaterialOf("/B/Inherits"), "-");
  EXPECT_EQ(plan_->materials.size(), 1u);
}

TEST_F(FrameMaterialsTest, BindingsOutsideOfInstancesDistinguishThem) {
  Plan(Concat(kLooks, kModel, Instance("A", "rel material:binding = </Looks/red>"),
              Instance("B", "rel material:binding = </Looks/blue>"), Instance("C"),
              "def Xform \"Strong\" {\n", "rel material:binding = </Looks/blue> (\n",
              "bindMaterialAs = \"strongerThanDescendants\"\n)\n", Instance("D"), "}\n"));
  EXPECT_EQ(MaterialOf("/A/Inherits"), "/Looks/red");
  EXPECT_EQ(MaterialOf("/B/Inherits"), "/Looks/blue");
  EXPECT_EQ(MaterialOf("/C/Inherits"), "-");
  EXPECT_EQ(MaterialOf("/B/Own"), "/A/Look");
  EXPECT_EQ(MaterialOf("/Strong/D/Own"), "/Looks/blue");
}

TEST_F(FrameMaterialsTest, CollectionsBindInstancesByTheirPaths) {
  Plan(Concat(kLooks, kModel, R"(
def Xform "World" (
  prepend apiSchemas = ["CollectionAPI:picked"]
) {
  rel material:binding:collection:picked = [</World.collection:picked>, </Looks/red>]
  rel collection:picked:includes = [</World/B/Inherits>, </World/B/Part/Inner>]
)",
              Instance("A"), Instance("B"), "}\n"));
  EXPECT_EQ(MaterialOf("/World/A/Inherits"), "-");
  EXPECT_EQ(MaterialOf("/World/B/Inherits"), "/Looks/red");
  EXPECT_EQ(MaterialOf("/World/A/Part/Inner"), "-");
  EXPECT_EQ(MaterialOf("/World/B/Part/Inner"), "/Looks/red") << "below another binding, too";
}

TEST_F(FrameMaterialsTest, SubsetsHaveMaterialsOfTheirOwn) {
  const std::string_view mesh = R"(
  def Mesh "M" {
    rel material:binding = </Looks/red>
    def GeomSubset "Bound" {
      uniform token familyName = "materialBind"
      rel material:binding = </Looks/blue>
    }
    def GeomSubset "Unbound" {
      uniform token familyName = "materialBind"
    }
    def GeomSubset "Other" {
      uniform token familyName = "other"
      rel material:binding = </Looks/blue>
    }
    def GeomSubset "Off" (active = false) {}
  }
)";
  Plan(Concat(kLooks, "class \"Model\" {\n", mesh, "}\n", Instance("A"), Instance("B")));
  EXPECT_EQ(Subsets(),
            "/A/M/Bound=/Looks/blue /A/M/Unbound=/Looks/red /A/M/Other=- "
            "/B/M/Bound=/Looks/blue /B/M/Unbound=/Looks/red /B/M/Other=-");
  EXPECT_EQ(plan_->subsets[0].prim, 0u);
  EXPECT_EQ(plan_->subsets[3].prim, 1u);
  EXPECT_EQ(plan_->subsets[3].subset.family_name, Token("materialBind"));
  EXPECT_NE(plan_->subsets[0].id, plan_->subsets[3].id);
}

TEST_F(FrameMaterialsTest, IndicesOfSubsetsMayVary) {
  Plan(R"(
def Mesh "M" {
  def GeomSubset "A" {
    int[] indices = [1]
  }
  def GeomSubset "B" {
    int[] indices.timeSamples = { 0: [1], 1: [2] }
  }
}
)");
  EXPECT_EQ(plan_->varying_subsets, (std::vector<uint32_t>{1}));
}

TEST_F(FrameMaterialsTest, MaterialsVaryWithTheValuesOfTheirNetworks) {
  const std::string text = R"(
def Material "Look" {
  color3f inputs:tint = (1, 0, 0)
  token outputs:surface.connect = </Look/Surface.outputs:surface>
  def Shader "Surface" {
    float inputs:roughness = 0.5
    color3f inputs:diffuseColor.connect = </Look.inputs:tint>
    token outputs:surface
  }
  def Shader "Unused" {
    float inputs:x.timeSamples = { 0: 0, 1: 1 }
  }
}
def Mesh "M" {
  rel material:binding = </Look>
}
)";
  const auto varies = [&](std::string_view from, std::string_view to) {
    std::string changed = text;
    changed.replace(changed.find(from), from.size(), to);
    Plan(changed);
    return plan_->materials[0].varies;
  };
  EXPECT_FALSE(varies("= 0.5", "= 0.25"));
  EXPECT_TRUE(varies("roughness = 0.5", "roughness.timeSamples = { 0: 0, 1: 1 }"));
  EXPECT_TRUE(varies("tint = (1, 0, 0)", "tint.timeSamples = { 0: (1, 0, 0), 1: (0, 1, 0) }"));
  EXPECT_EQ(plan_->varying_materials, (std::vector<uint32_t>{0}));
}

}  // namespace
}  // namespace stagedoor

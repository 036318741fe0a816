// Which prims have their geometry in common.
#include <string>
#include <string_view>

#include "scene/frame/testing/frame_fixture.h"
#include "scene/testing/skeleton_text.h"

namespace stagedoor {
namespace {

class FrameGeometriesTest : public FrameTest {
 protected:
  // Two instances of a model, each in a group, with these contents.
  void PlanInstances(std::string_view model, std::string_view group_a = "",
                     std::string_view group_b = "", std::string_view instance_a = "",
                     std::string_view more = "") {
    Plan(Concat("class \"Model\" {\n", model, "\n}\n", Group("A", group_a, instance_a),
                Group("B", group_b, ""), more));
  }
  static std::string Group(std::string_view name, std::string_view group,
                           std::string_view instance) {
    return Concat("def Xform \"", name, "\" {\n", group,
                  "\ndef Xform \"I\" (\ninstanceable = true\ninherits = </Model>\n) {\n", instance,
                  "\n}\n}\n");
  }
  bool AreShared(std::string_view a = "/A/I/M", std::string_view b = "/B/I/M") const {
    return Row(a).geometry == Row(b).geometry;
  }
};

constexpr std::string_view kModel = "def Mesh \"M\" {}";

TEST_F(FrameGeometriesTest, InstancesShareThatOfTheFirst) {
  PlanInstances(kModel);
  EXPECT_TRUE(AreShared());
  EXPECT_EQ(plan_->geometry.size(), 1u);
  EXPECT_EQ(GeometryOf("/B/I/M").prim.PathText(), "/A/I/M");
  const FrameId id = GeometryOf("/B/I/M").id;
  EXPECT_NE(id, Row("/A/I/M").id);
  PlanInstances("def Mesh \"N\" {}\ndef Mesh \"M\" {}");
  EXPECT_EQ(GeometryOf("/B/I/M").id, id) << "it is named after the prim alone";
}

TEST_F(FrameGeometriesTest, OtherPrimsHaveTheirOwn) {
  Plan(R"(
def Xform "Model" {
  def Mesh "M" {}
}
def Xform "Copy" (
  references = </Model>
) {}
)");
  EXPECT_FALSE(AreShared("/Model/M", "/Copy/M"));
}

TEST_F(FrameGeometriesTest, PrimvarsFromOutsideOfTheInstanceDistinguishThem) {
  const std::string_view red = "float primvars:red = 1 (interpolation = \"constant\")";
  const std::string_view vertex = "float[] primvars:red = [1] (interpolation = \"vertex\")";
  PlanInstances(kModel, red);
  EXPECT_FALSE(AreShared());
  PlanInstances(kModel, red, red);
  EXPECT_FALSE(AreShared()) << "two attributes, even if they are equal";
  PlanInstances(kModel, "", "", red);
  EXPECT_FALSE(AreShared()) << "that of the instance itself";
  PlanInstances(kModel, vertex);
  EXPECT_TRUE(AreShared()) << "only constant primvars are inherited";
  PlanInstances(kModel, "custom float primvars:red");
  EXPECT_TRUE(AreShared()) << "it has no value";
}

TEST_F(FrameGeometriesTest, PrimvarsThatBothInheritAreTheSame) {
  const std::string_view red = "float primvars:red = 1 (interpolation = \"constant\")";
  Plan(Concat("class \"Model\" {\n", kModel, "\n}\ndef Xform \"World\" {\n", red, "\n",
              Group("A", "", ""), Group("B", "", ""), "}\n"));
  EXPECT_TRUE(AreShared("/World/A/I/M", "/World/B/I/M"));
  // Hidden by the prototype's own: only for those below the one that hides it.
  PlanInstances(
      Concat("def Mesh \"M\" {}\ndef Xform \"X\" {\n",
             "float[] primvars:red = [1] (interpolation = \"vertex\")\n", "def Mesh \"N\" {}\n}"),
      red);
  EXPECT_FALSE(AreShared());
  EXPECT_TRUE(AreShared("/A/I/X/N", "/B/I/X/N"));
}

TEST_F(FrameGeometriesTest, PrimvarsThatThePrimHidesDoNotCount) {
  const std::string_view red = "float primvars:red = 1 (interpolation = \"constant\")";
  for (const std::string_view interpolation : {"constant", "vertex"}) {
    PlanInstances(Concat("def Mesh \"M\" {\nfloat[] primvars:red = [1] (interpolation = \"",
                         interpolation, "\")\n}"),
                  red);
    EXPECT_TRUE(AreShared()) << interpolation;
  }
  PlanInstances("def Mesh \"M\" {\ncustom float primvars:red\n}", red);
  EXPECT_FALSE(AreShared()) << "its own has no value";
}

TEST_F(FrameGeometriesTest, OnlyTheSelectedPrimvarsCount) {
  const std::string_view red = "float primvars:red = 1 (interpolation = \"constant\")";
  PlanInstances(kModel, red);
  selection_.primvars = {"blue"};
  Plan();
  EXPECT_TRUE(AreShared());
  selection_.primvars = {"red"};
  Plan();
  EXPECT_FALSE(AreShared());
}

TEST_F(FrameGeometriesTest, PathsDistinguishInstances) {
  PlanInstances(R"(
def Mesh "M" {
  string primvars:root = ""
  rel primvars:root:idFrom = </Model/M>
}
def Volume "V" {
  rel field:density = </Model/V/density>
  def OpenVDBAsset "density" {}
}
def PointInstancer "P" {
  rel prototypes = </Model/P/Leaf>
  def Mesh "Leaf" {}
}
)");
  EXPECT_FALSE(AreShared());
  EXPECT_FALSE(AreShared("/A/I/V", "/B/I/V"));
  EXPECT_FALSE(AreShared("/A/I/P", "/B/I/P"));
  EXPECT_TRUE(AreShared("/A/I/P/Leaf@/A/I/P/Leaf", "/B/I/P/Leaf@/B/I/P/Leaf"));
}

TEST_F(FrameGeometriesTest, StandInsHaveTheirOwn) {
  Plan(R"(
class "Model" {
  def Mesh "Part" (kind = "component") {
    uniform token model:drawMode = "inherited"
  }
}
def Xform "A" (
  kind = "group"
  instanceable = true
  inherits = </Model>
) {
  uniform token model:drawMode = "cards"
}
def Xform "B" (
  kind = "group"
  instanceable = true
  inherits = </Model>
) {}
)");
  EXPECT_EQ(Row("/A/Part").draw_mode, Token("cards"));
  EXPECT_FALSE(AreShared("/A/Part", "/B/Part"));
}

// ---- Skins

constexpr std::string_view kAnimation = R"(
  def SkelAnimation "Anim" {
    uniform token[] joints = ["a", "a/b"]
    float3[] translations.timeSamples = { 0: [(0, 0, 0), (0, 2, 0)], 1: [(1, 0, 0), (0, 2, 0)] }
    quatf[] rotations = [(1, 0, 0, 0), (1, 0, 0, 0)]
    half3[] scales = [(1, 1, 1), (1, 1, 1)]
  }
)";

// A mesh whose only point belongs to the joint a.
std::string SkinnedMesh(std::string_view name, std::string_view interpolation = "vertex") {
  return Concat("def Mesh \"", name, R"(" (
  prepend apiSchemas = ["SkelBindingAPI"]
) {
  point3f[] points = [(0, 0, 0)]
  rel skel:skeleton = </C/Skel>
  int[] primvars:skel:jointIndices = [0] (
    elementSize = 1
    interpolation = ")",
                interpolation, R"("
  )
  float[] primvars:skel:jointWeights = [1] (
    elementSize = 1
    interpolation = ")",
                interpolation, "\"\n  )\n}\n");
}

std::string Character(std::string_view contents, std::string_view animation = kAnimation) {
  return Concat("def SkelRoot \"C\" {\n", animation, kTwoJoints, contents, "}\n");
}

std::string Instances(std::string_view of) {
  std::string text;
  for (const char* name : {"I", "J"}) {
    text += Concat("def \"", name, "\" (\ninstanceable = true\nreferences = <", of, ">\n) {}\n");
  }
  return text;
}

TEST_F(FrameGeometriesTest, SkinsDeformPoints) {
  Plan(Character(SkinnedMesh("M") + "def Mesh \"Plain\" {\npoint3f[] points = [(1, 1, 1)]\n}\n"));
  ASSERT_NE(GeometryOf("/C/M").skin, nullptr);
  EXPECT_EQ(GeometryOf("/C/M").skin->prim, Find("/C/M"));
  EXPECT_EQ(Varying("/C/M"), "points");
  EXPECT_EQ(GeometryOf("/C/Plain").skin, nullptr);
  EXPECT_EQ(Row("/C/M").rigid_skin, kNoIndex);
  selection_.without_skinning = true;
  Plan();
  EXPECT_EQ(GeometryOf("/C/M").skin, nullptr);
  EXPECT_EQ(Varying("/C/M"), "");
}

TEST_F(FrameGeometriesTest, ASkinWithoutMotionDoesNotVary) {
  Plan(Character(SkinnedMesh("M"), ""));
  ASSERT_NE(GeometryOf("/C/M").skin, nullptr);
  EXPECT_EQ(Varying("/C/M"), "");
  EXPECT_TRUE(plan_->varying_geometry.empty());
}

TEST_F(FrameGeometriesTest, TransformsBetweenSkeletonAndPrimMakeSkinsVary) {
  Plan(Character(
      Concat("def Xform \"X\" {\n", "double xformOp:translateX.timeSamples = { 0: 0, 1: 1 }\n",
             "uniform token[] xformOpOrder = [\"xformOp:translateX\"]\n", SkinnedMesh("M"), "}\n"),
      ""));
  EXPECT_EQ(Varying("/C/X/M"), "points");
}

TEST_F(FrameGeometriesTest, InstancesThatDeformAlikeShareTheirGeometry) {
  Plan(Character(SkinnedMesh("M")) + Instances("/C"));
  EXPECT_FALSE(AreShared("/C/M", "/I/M")) << "/C is not an instance";
  EXPECT_TRUE(AreShared("/I/M", "/J/M"));
  EXPECT_EQ(GeometryOf("/J/M").skin->prim, Find("/I/M"));
}

TEST_F(FrameGeometriesTest, InstancesWithOtherAnimationsDoNot) {
  // The skeleton takes its animation from a group around the instance.
  std::string character = Character(SkinnedMesh("M"), "");
  const std::string source = "rel skel:animationSource = </C/Anim>";
  character.erase(character.find(source), source.size());
  const auto group = [](std::string_view name, std::string_view animation) {
    return Concat("def Xform \"", name, "\" (\nprepend apiSchemas = [\"SkelBindingAPI\"]\n) {\n",
                  "rel skel:animationSource = </", animation, "/Anim>\n", Instances("/C"), "}\n");
  };
  Plan(Concat(character, "def Scope \"One\" {\n", kAnimation, "}\ndef Scope \"Two\" {\n",
              kAnimation, "}\n", group("A", "One"), group("B", "Two"), group("D", "One")));
  EXPECT_TRUE(AreShared("/A/I/M", "/A/J/M"));
  EXPECT_TRUE(AreShared("/A/I/M", "/D/I/M"));
  EXPECT_FALSE(AreShared("/A/I/M", "/B/I/M"));
  EXPECT_EQ(Varying("/B/I/M"), "points");
}

TEST_F(FrameGeometriesTest, SkeletonsOutsideOfTheInstanceDistinguishThem) {
  // The skeleton is outside of the instances, which are at different places relative to it.
  std::string parts;
  for (const char* name : {"I", "J"}) {
    parts += Concat("def Xform \"", name, "\" (\ninstanceable = true\ninherits = </Part>\n) {}\n");
  }
  Plan(Concat("class \"Part\" {\n", SkinnedMesh("M"), "}\n", Character(parts)));
  ASSERT_NE(GeometryOf("/C/I/M").skin, nullptr);
  EXPECT_FALSE(AreShared("/C/I/M", "/C/J/M"));
  EXPECT_EQ(GeometryOf("/C/J/M").skin->prim, Find("/C/J/M"));
}

TEST_F(FrameGeometriesTest, RigidSkinsMovePrimsAsAWhole) {
  Plan(Character(SkinnedMesh("M", "constant")) + Instances("/C"));
  ASSERT_EQ(plan_->rigid_skins.size(), 3u);
  EXPECT_EQ(Row("/C/M").rigid_skin, 0u);
  EXPECT_EQ(plan_->rigid_skins[2].prim, Find("/J/M"));
  EXPECT_TRUE(Row("/C/M").moves);
  EXPECT_EQ(GeometryOf("/C/M").skin, nullptr);
  EXPECT_EQ(Varying("/C/M"), "") << "its points are those at rest";
  Plan(Character(SkinnedMesh("M", "constant"), ""));
  EXPECT_FALSE(Row("/C/M").moves);
}

TEST_F(FrameGeometriesTest, SkelRootsBelowPrimsThatEndTheSearchCount) {
  Plan(Concat(Character(""), "def SkelRoot \"O\" {\ndef \"Untyped\" {\ndef SkelRoot \"Inner\" {\n",
              SkinnedMesh("M"), "}\n", SkinnedMesh("Lost"), "}\n}\n"));
  EXPECT_NE(GeometryOf("/O/Untyped/Inner/M").skin, nullptr);
  EXPECT_EQ(GeometryOf("/O/Untyped/Lost").skin, nullptr);
}

TEST_F(FrameGeometriesTest, RootsBelowSkelRootsAreSkinned) {
  Open(Character(SkinnedMesh("M")));
  selection_.roots = FindAll({"/C/M"});
  Plan();
  EXPECT_NE(GeometryOf("/C/M").skin, nullptr);
}

}  // namespace
}  // namespace stagedoor

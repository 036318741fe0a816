#include "scene/frame/frame_transforms.h"

#include <string>
#include <string_view>
#include <vector>

#include "scene/frame/testing/frame_fixture.h"
#include "scene/geom/xform_cache.h"
#include "scene/testing/skeleton_text.h"

namespace stagedoor {
namespace {

class FrameTransformsTest : public FrameTest {
 protected:
  std::vector<const FramePlace*> RowsOf(const std::vector<std::string_view>& names) {
    std::vector<const FramePlace*> rows;
    for (const std::string_view name : names) rows.push_back(&Row(name));
    return rows;
  }
  // Where a row or a light moves the origin.
  std::string OriginOf(std::string_view name, TimeCode time) { return OriginOf(Row(name), time); }
  std::string OriginOf(const FramePlace& place, TimeCode time) {
    const auto xforms = ComputeFrameXforms(context(), *plan_, {{&place}}, {{time}});
    EXPECT_TRUE(xforms.ok()) << xforms.status();
    if (!xforms.ok()) return "";
    const Matrix4d& matrix = xforms->matrices[0];
    return Concat(matrix.m[3][0], " ", matrix.m[3][1], " ", matrix.m[3][2]);
  }
  std::vector<double> Motion(std::string_view name, double begin, double end) {
    return Motion(Row(name), begin, end);
  }
  std::vector<double> Motion(const FramePlace& place, double begin, double end) {
    const auto motion = FindFrameXformMotion(context(), *plan_, {{&place}}, begin, end);
    EXPECT_TRUE(motion.ok()) << motion.status();
    std::vector<double> times;
    if (!motion.ok() || motion->times[0] == nullptr) return times;
    for (const MotionTime& at : motion->times[0]->times()) times.push_back(at.time);
    return times;
  }
};

using Times = std::vector<double>;

constexpr std::string_view kInstancer = R"(
def Xform "World" {
  double xformOp:translateX.timeSamples = { 0: 100, 1: 101 }
  uniform token[] xformOpOrder = ["xformOp:translateX"]
  def PointInstancer "I" {
    rel prototypes = [</World/I/Tree>, </World/Rock>]
    def Xform "Tree" {
      double xformOp:translateX = 10
      uniform token[] xformOpOrder = ["xformOp:translateX"]
      def Xform "Twig" {
        double xformOp:translateY.timeSamples = { 0: 1, 2: 2 }
        uniform token[] xformOpOrder = ["xformOp:translateY"]
        def Mesh "Leaf" {
          double xformOp:translateZ = 5
          uniform token[] xformOpOrder = ["xformOp:translateZ"]
        }
        def Mesh "Resets" {
          double xformOp:translateZ = 7
          uniform token[] xformOpOrder = ["!resetXformStack!", "xformOp:translateZ"]
        }
      }
    }
  }
  def Mesh "Rock" {
    double xformOp:translateZ = 3
    uniform token[] xformOpOrder = ["xformOp:translateZ"]
  }
}
)";

TEST_F(FrameTransformsTest, PrimsHaveTheirWorldTransforms) {
  Plan(kInstancer);
  EXPECT_EQ(OriginOf("/World/I", TimeCode::At(0.5)), "100.5 0 0");
  EXPECT_EQ(OriginOf("/World/Rock", TimeCode::At(0)), "100 0 3");
  EXPECT_EQ(OriginOf("/World/Rock", TimeCode::Default()), "0 0 3");
  EXPECT_EQ(Motion("/World/Rock", 0.25, 0.5), (Times{0, 1}));
}

TEST_F(FrameTransformsTest, PartsOfPrototypesAreRelativeToTheRoot) {
  Plan(kInstancer);
  const std::string_view leaf = "/World/I/Tree/Twig/Leaf@/World/I/Tree";
  EXPECT_EQ(OriginOf(leaf, TimeCode::At(1)), "0 1.5 5");
  EXPECT_EQ(OriginOf(leaf, TimeCode::Default()), "0 0 5");
  EXPECT_EQ(Motion(leaf, 0.25, 0.5), (Times{0, 2}));
  EXPECT_EQ(OriginOf("/World/I/Tree/Twig/Resets@/World/I/Tree", TimeCode::At(1)), "0 0 7");
  EXPECT_EQ(OriginOf("/World/Rock@/World/Rock", TimeCode::At(0)), "0 0 0") << "the root";
  EXPECT_EQ(Motion("/World/Rock@/World/Rock", 0.25, 0.5), (Times{}));
}

TEST_F(FrameTransformsTest, RowsAndTimesAreInOrder) {
  Plan(kInstancer);
  const std::vector<TimeCode> times = {TimeCode::At(0), TimeCode::At(1)};
  const auto rows = RowsOf({"/World/I/Tree/Twig/Leaf@/World/I/Tree", "/World/Rock", "/World/I"});
  const auto xforms = ComputeFrameXforms(context(), *plan_, rows, times);
  ASSERT_TRUE(xforms.ok());
  ASSERT_EQ(xforms->matrices.size(), 6u);
  std::string text;
  for (const Matrix4d& m : xforms->matrices) text += Concat(m.m[3][0], ",", m.m[3][1], " ");
  EXPECT_EQ(text, "0,1 0,1.5 100,0 101,0 100,0 101,0 ");
  const auto motion = FindFrameXformMotion(context(), *plan_, rows, 0, 0.5);
  ASSERT_TRUE(motion.ok());
  EXPECT_EQ(motion->times[1], motion->times[2]) << "prims that move alike share a list";
}

// A cube that the joint a moves as a whole.
std::string Character(std::string_view contents) {
  return Concat(R"(
def SkelRoot "C" (
  prepend apiSchemas = ["SkelBindingAPI"]
) {
  double xformOp:translateZ = 9
  uniform token[] xformOpOrder = ["xformOp:translateZ"]
  rel skel:skeleton = </C/Skel>
  def SkelAnimation "Anim" {
    uniform token[] joints = ["a", "a/b"]
    float3[] translations.timeSamples = { 0: [(0, 0, 0), (0, 2, 0)], 2: [(4, 0, 0), (0, 2, 5)] }
    quatf[] rotations = [(1, 0, 0, 0), (1, 0, 0, 0)]
    half3[] scales = [(1, 1, 1), (1, 1, 1)]
    uniform token[] blendShapes = ["shape"]
    float[] blendShapeWeights.timeSamples = { 0: [0], 1: [1] }
  }
  def Xform "Inner" {
    double xformOp:translateY = 3
    uniform token[] xformOpOrder = ["xformOp:translateY"]
    def Cube "Box" (
      prepend apiSchemas = ["SkelBindingAPI"]
    ) {
      double xformOp:translateX = 70
      uniform token[] xformOpOrder = ["xformOp:translateX"]
      int[] primvars:skel:jointIndices = [0] (
        elementSize = 1
        interpolation = "constant"
      )
      float[] primvars:skel:jointWeights = [1] (
        elementSize = 1
        interpolation = "constant"
      )
    }
  }
)",
                kTwoJoints, contents, "}\n");
}

TEST_F(FrameTransformsTest, RigidSkinsTakeThePlaceOfTheTransform) {
  Plan(Character(""));
  ASSERT_NE(Row("/C/Inner/Box").rigid_skin, kNoIndex);
  EXPECT_EQ(OriginOf("/C/Inner/Box", TimeCode::At(1)), "2 0 9") << "where the joint is";
  EXPECT_EQ(Motion("/C/Inner/Box", 0.5, 1), (Times{0, 2})) << "blend shapes do not move it";
  selection_.without_skinning = true;
  Plan();
  EXPECT_EQ(OriginOf("/C/Inner/Box", TimeCode::At(1)), "70 3 9");
}

TEST_F(FrameTransformsTest, RigidSkinsMoveLights) {
  const std::string character = Character(R"(
  def SphereLight "Lamp" (
    prepend apiSchemas = ["SkelBindingAPI"]
  ) {
    double xformOp:translateX = 70
    uniform token[] xformOpOrder = ["xformOp:translateX"]
    int[] primvars:skel:jointIndices = [0] (
      elementSize = 1
      interpolation = "constant"
    )
    float[] primvars:skel:jointWeights = [1] (
      elementSize = 1
      interpolation = "constant"
    )
  }
)");
  Plan(character);
  ASSERT_EQ(plan_->lights.size(), 1u);
  EXPECT_TRUE(plan_->lights[0].moves);
  EXPECT_EQ(plan_->varying_lights, std::vector<uint32_t>{0});
  EXPECT_EQ(OriginOf(plan_->lights[0], TimeCode::At(1)), "2 0 9");
  EXPECT_EQ(Motion(plan_->lights[0], 0.5, 1), (Times{0, 2}));
  selection_.without_skinning = true;
  Plan();
  EXPECT_FALSE(plan_->lights[0].moves);
  EXPECT_EQ(OriginOf(plan_->lights[0], TimeCode::At(1)), "70 0 9");
}

TEST_F(FrameTransformsTest, RigidSkinsOfPrototypesAreRelativeToTheRoot) {
  Plan(Concat(Character(""), "def PointInstancer \"I\" {\nrel prototypes = [</C>]\n}\n"));
  EXPECT_EQ(OriginOf("/C/Inner/Box@/C", TimeCode::At(1)), "2 0 0");
  EXPECT_EQ(OriginOf("/C/Inner/Box", TimeCode::At(1)), "2 0 9");
  EXPECT_TRUE(Row("/C/Inner/Box@/C").moves);
  EXPECT_EQ(Motion("/C/Inner/Box@/C", 0.5, 1), (Times{0, 2}));
}

TEST_F(FrameTransformsTest, RigidSkinsOfPrototypesMoveByRoundingWithTheRoot) {
  std::string text = Character("");
  const auto replace = [&](std::string_view from, std::string_view to) {
    text.replace(text.find(from), from.size(), to);
  };
  const std::string instancer = "def PointInstancer \"I\" {\nrel prototypes = [</C>]\n}\n";
  // The joints stand still.
  replace(", 2: [(4, 0, 0), (0, 2, 5)]", "");
  Plan(text + instancer);
  EXPECT_FALSE(Row("/C/Inner/Box@/C").moves);
  replace("translateZ = 9", "translateZ.timeSamples = { 0: 9, 2: 10 }");
  Plan(text + instancer);
  EXPECT_TRUE(Row("/C/Inner/Box@/C").moves);
  EXPECT_TRUE(Motion("/C/Inner/Box@/C", 0.5, 1).empty());
}

TEST_F(FrameTransformsTest, VisibilityIsThatOfThePrimAndItsAncestors) {
  Plan(R"(
def Xform "A" {
  token visibility.timeSamples = { 0: "inherited", 1: "invisible" }
  def Xform "Tree" {
    def Mesh "Leaf" {
      token visibility.timeSamples = { 0: "inherited", 5: "invisible" }
    }
  }
}
def PointInstancer "I" {
  rel prototypes = [</A/Tree>]
}
)");
  const auto is_visible = [&](std::string_view name, double time) {
    return IsVisibleAt(context(), *plan_, Row(name), TimeCode::At(time));
  };
  EXPECT_TRUE(is_visible("/A/Tree/Leaf", 0));
  EXPECT_FALSE(is_visible("/A/Tree/Leaf", 2));
  EXPECT_TRUE(is_visible("/A/Tree/Leaf@/A/Tree", 2)) << "what is above a prototype does not count";
  EXPECT_FALSE(is_visible("/A/Tree/Leaf@/A/Tree", 5));
  EXPECT_TRUE(is_visible("/I", 5));
}

}  // namespace
}  // namespace stagedoor

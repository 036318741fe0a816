#include "scene/physics/collider_shape.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "base/strings.h"
#include "scene/stage/stage.h"
#include "scene/testing/test_scene.h"

namespace stagedoor {
namespace {

constexpr std::string_view kTetrahedron = R"(
    point3f[] points = [(0, 0, 0), (1, 0, 0), (0, 2, 0), (0, 0, 3)]
    int[] faceVertexCounts = [3, 3, 3, 3]
)";

class ColliderShapeTest : public testing::Test {
 protected:
  ColliderShape Measure(std::string_view type, std::string_view properties,
                        const Vec3d& scale = {1, 1, 1}) {
    scene_.Write("root.usda", Concat("def ", type, " \"S\" {\n", properties, "\n}\n"));
    const auto stage = scene_.Open("root.usda");
    return MeasureCollider(scene_.context(), stage->FindPrim(P("/S")), scale);
  }
  // The volume, the moments about the axes and the center of mass.
  void Expect(const ColliderShape& shape, double volume, const Vec3d& moments,
              const Vec3d& center) {
    EXPECT_NEAR(shape.volume, volume, 1e-6 * volume);
    for (int i = 0; i < 3; ++i) {
      EXPECT_NEAR(shape.inertia.m[i][i], moments[i], 1e-6 * moments[i]) << i;
      EXPECT_NEAR(shape.center_of_mass[i], center[i], 1e-6) << i;
    }
  }
  TestScene scene_;
};

TEST_F(ColliderShapeTest, MeasuresFallbacks) {
  const double cube = 16.0 / 3, ball = 1.6755160819145563;
  Expect(Measure("Cube", ""), 8, {cube, cube, cube}, {});
  Expect(Measure("Sphere", ""), 4.1887902047863905, {ball, ball, ball}, {});
  const Vec3d capsule = {0.3959715740462135, 0.3959715740462135, 0.15053464798451094};
  Expect(Measure("Capsule", ""), 1.3089969389957472, capsule, {});
  Expect(Measure("Capsule_1", ""), 1.3089969389957472, capsule, {});
  Expect(Measure("Cylinder", ""), 6.283185307179587,
         {3.665191429188092, 3.665191429188092, 3.1415926535897936}, {});
  Expect(Measure("Cone", ""), 2.0943951023931953,
         {0.6283185307179586, 0.6283185307179586, 0.6283185307179586}, {0, 0, -0.5});
}

TEST_F(ColliderShapeTest, TakesTheScaleOfTheWorld) {
  Expect(Measure("Cube", "", {1, 2, -3}), 48, {208, 160, 80}, {});
  const double ball = 407.1504079052372;
  Expect(Measure("Sphere", "", {1, 2, -3}), 113.09733552923254, {ball, ball, ball}, {});
  Expect(Measure("Cylinder_1", "double radiusTop = 0.25", {1, 2, -3}), 32.98672286269283,
         {89.6616276557627, 89.6616276557627, 40.173116436967845}, {0, 0, 1.0714285714285716});
}

TEST_F(ColliderShapeTest, AxesTurnShapes) {
  const ColliderShape z = Measure("Cone", "double height = 3");
  const ColliderShape y = Measure("Cone", "double height = 3\nuniform token axis = \"Y\"");
  EXPECT_EQ(y.volume, z.volume);
  EXPECT_EQ(y.inertia.m[1][1], z.inertia.m[2][2]);
  EXPECT_EQ(y.center_of_mass[1], z.center_of_mass[2]);
  // An axis that does not exist is that of x, as in OpenUSD.
  const ColliderShape odd = Measure("Cone", "double height = 3\nuniform token axis = \"W\"");
  EXPECT_EQ(odd.center_of_mass[0], z.center_of_mass[2]);
}

TEST_F(ColliderShapeTest, SumsTetrahedraOfMeshes) {
  const std::string outward =
      Concat(kTetrahedron, "int[] faceVertexIndices = [0, 2, 1, 0, 1, 3, 1, 2, 3, 0, 3, 2]");
  Expect(Measure("Mesh", outward), 1, {0.4875, 0.375, 0.1875}, {0.25, 0.5, 0.75});
  EXPECT_NEAR(Measure("Mesh", outward).inertia.m[0][1], 0.025, 1e-7);
  Expect(Measure("Mesh", outward, {1, 2, -3}), 6, {21.825, 18.45, 3.825}, {0.25, 1, -2.25});
  const std::string inward =
      Concat(kTetrahedron, "int[] faceVertexIndices = [0, 1, 2, 0, 3, 1, 1, 3, 2, 0, 2, 3]");
  Expect(Measure("Mesh", inward), 1, {0.4875, 0.375, 0.1875}, {0.25, 0.5, 0.75});
}

TEST_F(ColliderShapeTest, OthersHaveNoVolume) {
  EXPECT_EQ(Measure("Plane", "").volume, 0);
  EXPECT_EQ(Measure("Xform", "").volume, 0);
  EXPECT_EQ(Measure("Mesh", "").volume, 0);
  EXPECT_EQ(Measure("Cylinder", "double height = 0").volume, 0);
  EXPECT_EQ(
      Measure("Mesh", Concat(kTetrahedron, "int[] faceVertexIndices = [0, 2, 1, 0, 1, 9]")).volume,
      0);
  EXPECT_EQ(Measure("Mesh", Concat(kTetrahedron, "int[] faceVertexIndices = [0, 2, 1]")).volume, 0);
}

}  // namespace
}  // namespace stagedoor

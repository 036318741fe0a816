#include "scene/physics/mass_properties.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace stagedoor {
namespace {

void ExpectNear(const Vec3f& found, const Vec3f& expected, float tolerance = 1e-5f) {
  for (int i = 0; i < 3; ++i) EXPECT_NEAR(found[i], expected[i], tolerance) << i;
}

TEST(MassPropertiesTest, DiagonalTensorsKeepTheirAxes) {
  const PrincipalInertia found = Diagonalize(DiagonalInertia({3, 1, 2}));
  ExpectNear(found.moments, {3, 1, 2});
  EXPECT_EQ(found.axes.real, 1);
}

TEST(MassPropertiesTest, FindsPrincipalAxes) {
  const Quatf turn = {.imaginary = {0, 0, std::sin(0.3f)}, .real = std::cos(0.3f)};
  const InertiaTensor turned = RotateInertia(DiagonalInertia({3, 1, 2}), turn);
  const PrincipalInertia found = Diagonalize(turned);
  ExpectNear(found.moments, {3, 1, 2});
  ExpectNear(found.axes.imaginary, turn.imaginary);
  EXPECT_NEAR(found.axes.real, turn.real, 1e-5f);
}

TEST(MassPropertiesTest, MovingAddsTheDistance) {
  MassProperties point{.mass = 2, .inertia = DiagonalInertia({1, 1, 1}), .center_of_mass = {}};
  MoveCenterOfMass({3, 0, 0}, &point);
  ExpectNear(point.center_of_mass, {3, 0, 0});
  EXPECT_EQ(point.inertia.m[0][0], 1);
  EXPECT_EQ(point.inertia.m[1][1], 19);
  EXPECT_EQ(point.inertia.m[2][2], 19);
}

TEST(MassPropertiesTest, SumsPartsAboutTheCommonCenter) {
  PlacedMass left{.properties = {.mass = 1, .inertia = {}, .center_of_mass = {}},
                  .position = {-1, 0, 0},
                  .rotation = {.imaginary = {}, .real = 1}};
  PlacedMass right = left;
  right.position = {2, 0, 0};
  right.properties.mass = 2;
  const PlacedMass parts[] = {left, right};
  const MassProperties sum = SumOfMasses(parts);
  EXPECT_EQ(sum.mass, 3);
  ExpectNear(sum.center_of_mass, {1, 0, 0});
  EXPECT_NEAR(sum.inertia.m[1][1], 6, 1e-5);
  EXPECT_EQ(sum.inertia.m[0][0], 0);
}

TEST(MassPropertiesTest, EndsForWhatIsNotANumber) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  InertiaTensor tensor = DiagonalInertia({nan, nan, nan});
  tensor.m[0][1] = nan;
  EXPECT_TRUE(std::isnan(Diagonalize(tensor).moments[0]));
}

}  // namespace
}  // namespace stagedoor

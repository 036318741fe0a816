#include "scene/lod/view_volume.h"

#include <gtest/gtest.h>

#include <cfloat>
#include <limits>

#include "scene/values/matrix_math.h"

namespace stagedoor {
namespace {

constexpr Range3d kBox{{-1, -1, -1}, {1, 1, 1}};

Frustum Square(double half = 1, bool orthographic = false, double near = 1, double far = 100) {
  Frustum frustum;
  frustum.orthographic = orthographic;
  frustum.min = {-half, -half};
  frustum.max = {half, half};
  frustum.near = near;
  frustum.far = far;
  return frustum;
}
Matrix4d At(double x, double y, double z) { return TranslationMatrix({x, y, z}); }

double SphereAt(const Matrix4d& place, const Frustum& frustum = Square()) {
  return ViewVolume(frustum, Matrix4d::Identity()).SphereSize(kBox, place);
}
double ExtentAt(const Matrix4d& place, const Frustum& frustum = Square()) {
  return ViewVolume(frustum, Matrix4d::Identity()).ExtentSize(kBox, place);
}

// The expectations in this file are results of usd-core.

TEST(ViewVolumeTest, SpheresShrinkWithTheDistanceOfTheirCenters) {
  EXPECT_DOUBLE_EQ(SphereAt(At(0, 0, -10)), 0.023561944901923447);
  EXPECT_DOUBLE_EQ(SphereAt(At(5, 0, -10)), 0.018849555921538752);
  EXPECT_DOUBLE_EQ(SphereAt(At(0, 0, -0.5)), 9.424777960769378);
  EXPECT_EQ(SphereAt(At(0, 0, 0)), DBL_MAX);
  EXPECT_DOUBLE_EQ(SphereAt(At(0, 0, -10), Square(4, true)), 0.14726215563702152);
  EXPECT_DOUBLE_EQ(SphereAt(ScaleMatrix({2, 1, 1}) * At(0, 0, -10)), 0.047123889803846894);
}

TEST(ViewVolumeTest, SpheresOutsideHaveNoSize) {
  EXPECT_GT(SphereAt(At(12.1, 0, -10)), 0);
  EXPECT_EQ(SphereAt(At(12.5, 0, -10)), 0);
  EXPECT_GT(SphereAt(At(0, 0, 0.5)), 0);
  EXPECT_EQ(SphereAt(At(0, 0, 1)), 0);
  EXPECT_GT(SphereAt(At(0, 0, -101.5)), 0);
  EXPECT_EQ(SphereAt(At(0, 0, -102)), 0);
}

TEST(ViewVolumeTest, OutlinesAreThoseOfAllCorners) {
  EXPECT_DOUBLE_EQ(ExtentAt(At(0, 0, -10)), 0.012345679012345678);
  EXPECT_DOUBLE_EQ(ExtentAt(At(2, 0, -10)), 0.013365983062952759);
  EXPECT_DOUBLE_EQ(ExtentAt(At(12, 0, -10)), 0.023569023569023566);
  EXPECT_DOUBLE_EQ(ExtentAt(At(0, 0, -10), Square(4, true)), 0.0625);
  EXPECT_DOUBLE_EQ(ExtentAt(ScaleMatrix({1, 1, 2}) * At(0, 0, -10)), 0.015625);
}

TEST(ViewVolumeTest, OutlinesAreCutAtTheNearPlaneOnly) {
  EXPECT_NEAR(ExtentAt(At(0, 0, -0.5)), 1, 1e-12);
  EXPECT_NEAR(ExtentAt(At(0, 0, -0.5), Square(1, false, 0.5)), 4, 1e-12);
  EXPECT_NEAR(ExtentAt(At(0, 0, -0.5), Square(1, false, 0.1)), 100, 1e-9);
  EXPECT_DOUBLE_EQ(ExtentAt(At(0, 0, -101)), 0.0001);
  EXPECT_EQ(ExtentAt(At(0, 0, -101.1)), 0);
  EXPECT_EQ(ExtentAt(At(12.01, 0, -10)), 0);
  EXPECT_EQ(ExtentAt(At(0, 0, 1)), 0);
}

TEST(ViewVolumeTest, OddBoxesAndWindowsHaveASizeToo) {
  EXPECT_DOUBLE_EQ(ExtentAt(ScaleMatrix({1, 1, 0}) * At(0, 0, -10)), 0.01);
  EXPECT_DOUBLE_EQ(SphereAt(ScaleMatrix({1, 1, 0}) * At(0, 0, -10)), 0.015707963267948967);
  EXPECT_EQ(ExtentAt(ScaleMatrix({0, 0, 0}) * At(0, 0, -10)), 0);
  // A matrix without an inverse: the frustum is intersected with the box before its transform.
  EXPECT_NEAR(ExtentAt(ScaleMatrix({1, 1, 0}) * At(50, 0, -10)), 0.01, 1e-12);
  Frustum flipped = Square();
  flipped.min = {1, -1};
  flipped.max = {-1, 1};
  EXPECT_EQ(ExtentAt(At(0, 0, -10), flipped), 0);
  EXPECT_EQ(SphereAt(At(0, 0, -10), flipped), 0);
  flipped.min = {1, 1};
  flipped.max = {-1, -1};
  EXPECT_DOUBLE_EQ(ExtentAt(At(0, 0, -10), flipped), 0.012345679012345678);
  EXPECT_EQ(SphereAt(At(0, 0, -10), Square(0)), DBL_MAX);
  EXPECT_EQ(ExtentAt(At(0, 0, -10), Square(0)), 0);
  EXPECT_EQ(ExtentAt(At(0, 0, -10), Square(1, false, 100, 1)), 0);
  EXPECT_EQ(ExtentAt(At(std::numeric_limits<double>::quiet_NaN(), 0, -10)), 0);
  EXPECT_EQ(ViewVolume(Square(), Matrix4d::Identity()).ExtentSize(Range3d(), At(0, 0, -10)), 0);
  EXPECT_EQ(ViewVolume(Square(), Matrix4d::Identity()).SphereSize(Range3d(), At(0, 0, -10)), 0);
}

TEST(ViewVolumeTest, CamerasMoveAndTurn) {
  const Matrix4d camera = AxisRotationMatrix({0, 1, 0}, 90) * At(3, 4, 5);
  const ViewVolume view(Square(), ViewMatrix(camera));
  EXPECT_NEAR(view.ExtentSize(kBox, At(-7, 4, 5)), 0.012345679012345678, 1e-12);
  EXPECT_NEAR(view.SphereSize(kBox, At(-7, 4, 5)), 0.023561944901923447, 1e-12);
  EXPECT_EQ(view.ExtentSize(kBox, At(13, 4, 5)), 0);
}

}  // namespace
}  // namespace stagedoor

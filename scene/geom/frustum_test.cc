// Expected numbers come from OpenUSD's GfCamera and GfFrustum, and those of conformed windows from
// the rule of CameraUtilConformWindowPolicy.
#include "scene/geom/frustum.h"

#include <cmath>

#include "gtest/gtest.h"
#include "scene/values/matrix_math.h"

namespace stagedoor {
namespace {

void ExpectMatrix(const Matrix4d& a, const Matrix4d& b) {
  for (int i = 0; i < 4; ++i) {
    for (int j = 0; j < 4; ++j) EXPECT_NEAR(a.m[i][j], b.m[i][j], 1e-7) << i << "," << j;
  }
}

Camera OffCenter() {
  Camera camera;
  camera.focal_length = 40;
  camera.horizontal_aperture = 36;
  camera.vertical_aperture = 24;
  camera.horizontal_aperture_offset = 2;
  camera.vertical_aperture_offset = -1;
  camera.clipping_range = {0.1F, 1000};
  return camera;
}

Frustum Unconformed(const Camera& camera) {
  return FrustumOf(camera, ConformPolicy::kDontConform, 0);
}

TEST(FrustumTest, PerspectiveWindowsAreAtUnitDistance) {
  const Frustum frustum = Unconformed(OffCenter());
  EXPECT_NEAR(frustum.min[0], -0.4, 1e-12);
  EXPECT_NEAR(frustum.min[1], -0.325, 1e-12);
  EXPECT_NEAR(frustum.max[0], 0.5, 1e-12);
  EXPECT_NEAR(frustum.max[1], 0.275, 1e-12);
  EXPECT_NEAR(frustum.horizontal_field_of_view, 48.45549, 1e-5);
  EXPECT_NEAR(frustum.vertical_field_of_view, 33.398487, 1e-5);
  ExpectMatrix(frustum.ProjectionMatrix(),
               {{{2.2222222222222223, 0, 0, 0},
                 {0, 3.333333333333333, 0, 0},
                 {0.11111111111111108, -0.0833333333333333, -1.000200020004981, -1},
                 {0, 0, -0.2000200049810284, 0}}});
}

TEST(FrustumTest, OrthographicWindowsDoNotDependOnTheFocalLength) {
  Camera camera;
  camera.orthographic = true;
  camera.horizontal_aperture_offset = 1;
  for (const float focal_length : {50.0F, 0.0F, -35.0F}) {
    camera.focal_length = focal_length;
    const Frustum frustum = Unconformed(camera);
    EXPECT_NEAR(frustum.min[0], -0.94774999, 1e-7);
    EXPECT_NEAR(frustum.max[0], 1.14774999, 1e-7);
    EXPECT_NEAR(frustum.max[1], 0.76454000, 1e-7);
    const Matrix4d projection = frustum.ProjectionMatrix();
    EXPECT_NEAR(projection[0][0], 0.95442615475, 1e-9);
    EXPECT_NEAR(projection[3][0], -0.095442615475, 1e-9);
    EXPECT_NEAR(projection[2][2], -2.000002e-6, 1e-12);
    EXPECT_NEAR(projection[3][2], -1.000002000002, 1e-12);
    EXPECT_EQ(projection[2][3], 0);
    EXPECT_EQ(projection[3][3], 1);
  }
}

TEST(FrustumTest, FocalLengthsMayBeZeroOrNegative) {
  Camera camera = OffCenter();
  camera.focal_length = 0;
  Frustum frustum = Unconformed(camera);
  EXPECT_NEAR(frustum.min[0], -1.6, 1e-12) << "not divided";
  EXPECT_EQ(frustum.horizontal_field_of_view, 180);
  camera.focal_length = -40;
  frustum = Unconformed(camera);
  EXPECT_NEAR(frustum.min[0], -0.5, 1e-12);
  EXPECT_NEAR(frustum.max[0], 0.4, 1e-12);
  EXPECT_NEAR(frustum.horizontal_field_of_view, -48.45549, 1e-5);
  camera.focal_length = 0;
  camera.horizontal_aperture = 0;
  EXPECT_TRUE(std::isnan(Unconformed(camera).horizontal_field_of_view));
}

TEST(ConformedSizeTest, PoliciesChangeTheWidthOrTheHeight) {
  struct Case {
    ConformPolicy policy;
    double aspect_ratio;
    Vec2d expected;
  };
  constexpr Vec2d kSize{3, 2};
  for (const Case& c : {
           Case{ConformPolicy::kMatchVertically, 2, {4, 2}},
           Case{ConformPolicy::kMatchVertically, 1, {2, 2}},
           Case{ConformPolicy::kMatchHorizontally, 2, {3, 1.5}},
           Case{ConformPolicy::kMatchHorizontally, 1, {3, 3}},
           Case{ConformPolicy::kFit, 2, {4, 2}},
           Case{ConformPolicy::kFit, 1, {3, 3}},
           Case{ConformPolicy::kCrop, 2, {3, 1.5}},
           Case{ConformPolicy::kCrop, 1, {2, 2}},
           Case{ConformPolicy::kDontConform, 2, {3, 2}},
       }) {
    const Vec2d size = ConformedSize(kSize, c.policy, c.aspect_ratio);
    EXPECT_EQ(size[0], c.expected[0]) << int(c.policy) << " " << c.aspect_ratio;
    EXPECT_EQ(size[1], c.expected[1]) << int(c.policy) << " " << c.aspect_ratio;
  }
  EXPECT_EQ(ConformedSize({3, 0}, ConformPolicy::kFit, 2)[0], 0) << "taken for a square";
  EXPECT_EQ(ConformedSize({3, 0}, ConformPolicy::kCrop, 2)[1], 1.5);
}

TEST(FrustumTest, ConformedWindowsKeepTheirCenter) {
  const Frustum frustum = FrustumOf(OffCenter(), ConformPolicy::kFit, 3);
  EXPECT_NEAR(frustum.min[0], 0.05 - 0.9, 1e-12);
  EXPECT_NEAR(frustum.max[0], 0.05 + 0.9, 1e-12);
  EXPECT_NEAR(frustum.min[1], -0.325, 1e-12);
  EXPECT_NEAR(frustum.horizontal_field_of_view, 83.97442, 1e-5);
}

TEST(ViewMatrixTest, LeavesOutScaleAndMirrors) {
  const Matrix4d turned =
      ScaleMatrix({2, 2, -3}) * AxisRotationMatrix({0, 1, 0}, 90) * TranslationMatrix({1, 2, 3});
  ExpectMatrix(ViewMatrix(turned), {{{0, 0, -1, 0}, {0, 1, 0, 0}, {1, 0, 0, 0}, {-3, -2, 1, 1}}});
}

TEST(ViewMatrixTest, MatricesMayBeSingularOrProjective) {
  ExpectMatrix(ViewMatrix({{{0, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 0}, {1, 2, 3, 1}}}),
               {{{1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 0}, {-1, -2, -3, 1}}});
  ExpectMatrix(ViewMatrix({{{0, 0, 0, 0}, {0, 0, 0, 0}, {0, 0, 0, 0}, {1, 2, 3, 1}}}),
               {{{-1, 0, 0, 0}, {0, -1, 0, 0}, {0, 0, 1, 0}, {1, 2, -3, 1}}});
  ExpectMatrix(ViewMatrix({{{1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, -1, 0}, {1, 2, 3, 2}}}),
               {{{-1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, -1, 0}, {0.5, -1, 1.5, 1}}});
}

}  // namespace
}  // namespace stagedoor

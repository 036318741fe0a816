// Transform operations, boxes and extents without a scene. Expected numbers come from OpenUSD.
#include <cmath>

#include "gtest/gtest.h"
#include "scene/geom/bbox3d.h"
#include "scene/geom/extents.h"
#include "scene/geom/instance_transforms.h"
#include "scene/geom/xform_op.h"
#include "scene/values/matrix.h"
#include "scene/values/matrix_math.h"
#include "scene/values/quat_math.h"
#include "scene/values/vec.h"

namespace stagedoor {
namespace {

void ExpectNear(const Matrix4d& a, const Matrix4d& b) {
  for (int i = 0; i < 4; ++i) {
    for (int j = 0; j < 4; ++j) EXPECT_NEAR(a.m[i][j], b.m[i][j], 1e-12) << i << "," << j;
  }
}

void ExpectRange(const Range3d& range, const Vec3d& min, const Vec3d& max) {
  for (int i = 0; i < 3; ++i) {
    EXPECT_NEAR(range.min[i], min[i], 1e-6);
    EXPECT_NEAR(range.max[i], max[i], 1e-6);
  }
}

TEST(XformOpTest, ParsesNames) {
  const auto op = ParseXformOpName("!invert!xformOp:rotateXYZ:pivot:a");
  ASSERT_TRUE(op.has_value());
  EXPECT_EQ(op->type, XformOpType::kRotateXYZ);
  EXPECT_TRUE(op->inverse);
  EXPECT_EQ(op->attribute, "xformOp:rotateXYZ:pivot:a");
  EXPECT_FALSE(ParseXformOpName("xformOp:foo").has_value());
  EXPECT_FALSE(ParseXformOpName("translate").has_value());
}

TEST(XformOpTest, EulerAnglesRotateInTheirOrder) {
  const Value angles(Vec3f{10, 20, 30});
  ExpectNear(*XformOpMatrix(XformOpType::kRotateXYZ, angles, false),
             {{{0.8137976813493738, 0.46984631039295416, -0.34202014332566877, 0},
               {-0.44096961052988237, 0.8825641192593856, 0.16317591116653482, 0},
               {0.3785223063697925, 0.01802831123629728, 0.9254165783983234, 0},
               {0, 0, 0, 1}}});
  ExpectNear(*XformOpMatrix(XformOpType::kRotateZXY, angles, true),
             {{{0.8434932686563161, -0.4184120444167325, 0.3368240888334652, 0},
               {0.49240387650610395, 0.8528685319524433, -0.17364817766693033, 0},
               {-0.21461017714275651, 0.3123245560187264, 0.9254165783983234, 0},
               {0, 0, 0, 1}}});
}

TEST(XformOpTest, OrientTakesTheAngleOfTheRealPart) {
  ExpectNear(*XformOpMatrix(XformOpType::kOrient, Value(MakeQuat(2.f, 0.f, 0.f, 1.f)), false),
             Matrix4d::Identity());
  ExpectNear(*XformOpMatrix(XformOpType::kOrient, Value(MakeQuat(.5f, 0.f, 0.f, 3.f)), false),
             AxisRotationMatrix({0, 0, 1}, 120));
  ExpectNear(*XformOpMatrix(XformOpType::kOrient, Value(MakeQuat(.5, 0., 0., 3.)), true),
             AxisRotationMatrix({0, 0, 1}, -120));
}

TEST(XformOpTest, OneAxisOperationsAndPrecisions) {
  EXPECT_EQ(XformOpMatrix(XformOpType::kTranslateX, Value(3.0), false),
            TranslationMatrix({3, 0, 0}));
  EXPECT_EQ(XformOpMatrix(XformOpType::kScaleY, Value(4.0f), true), ScaleMatrix({1, -4, 1}));
  EXPECT_EQ(XformOpMatrix(XformOpType::kTranslate, Value(Vec3d{1, 2, 3}), true),
            TranslationMatrix({-1, -2, -3}));
  EXPECT_EQ(XformOpMatrix(XformOpType::kScale, Value(2.0), false), std::nullopt);
  EXPECT_EQ(XformOpMatrix(XformOpType::kTransform, Value(Matrix4d()), true), Matrix4d::Identity());
}

TEST(XformOpTest, ResetDropsPrecedingOperations) {
  const std::vector<Token> order = {Token("xformOp:rotateX"), Token("!resetXformStack!"),
                                    Token("xformOp:translate")};
  const XformOpOrder simple = SimplifyXformOpOrder(order);
  EXPECT_TRUE(simple.resets);
  EXPECT_EQ(simple.entries, std::vector<Token>{Token("xformOp:translate")});
}

TEST(XformOpTest, AdjacentInversesAreRemoved) {
  const std::vector<Token> order = {Token("xformOp:translate"), Token("xformOp:scale"),
                                    Token("!invert!xformOp:scale")};
  EXPECT_EQ(SimplifyXformOpOrder(order).entries, std::vector<Token>{Token("xformOp:translate")});
}

TEST(XformOpTest, PairsThatBecomeAdjacentAreKept) {
  const Token turn("xformOp:rotateX"), turn_back("!invert!xformOp:rotateX");
  const Token scale("xformOp:scaleY"), scale_back("!invert!xformOp:scaleY");
  const std::vector<Token> nested = {scale, turn, turn_back, scale_back};
  EXPECT_EQ(SimplifyXformOpOrder(nested).entries, (std::vector<Token>{scale, scale_back}));
  const std::vector<Token> three = {turn, turn_back, turn};
  EXPECT_EQ(SimplifyXformOpOrder(three).entries, std::vector<Token>{turn});
}

TEST(ExtentsTest, OfPrimitives) {
  ExpectRange(SphereExtent(2.5), {-2.5, -2.5, -2.5}, {2.5, 2.5, 2.5});
  ExpectRange(CubeExtent(3), {-1.5, -1.5, -1.5}, {1.5, 1.5, 1.5});
  ExpectRange(CylinderExtent(3, .5, Axis::kY), {-.5, -1.5, -.5}, {.5, 1.5, .5});
  ExpectRange(CapsuleExtent(3, .5, Axis::kZ), {-.5, -.5, -2}, {.5, .5, 2});
  ExpectRange(TaperedCapsuleExtent(3, .5, 2, Axis::kX), {-4.736068, -2.236068, -2.236068},
              {1.809017, 2.236068, 2.236068});
  ExpectRange(PlaneExtent(2, 6, Axis::kX), {0, -3, -1}, {0, 3, 1});
  ExpectRange(PlaneExtent(2, 6, Axis::kY), {-1, 0, -3}, {1, 0, 3});
  ExpectRange(PlaneExtent(2, 6, Axis::kZ), {-1, -3, 0}, {1, 3, 0});
}

TEST(ExtentsTest, OfPointsAndCurvesWithWidths) {
  const Vec3f points[] = {{0, 0, 0}, {1, 2, 3}};
  const float widths[] = {1, 4};
  ExpectRange(*PointsExtent(points, widths), {-1, -.5, -.5}, {3, 4, 5});
  EXPECT_FALSE(PointsExtent(points, std::span(widths, 1)).has_value());
  const float three[] = {1, 4, 7};
  ExpectRange(CurvesExtent(points, three), {-3.5, -3.5, -3.5}, {4.5, 5.5, 6.5});
  ExpectRange(CurvesExtent(points, {}), {0, 0, 0}, {1, 2, 3});
  EXPECT_TRUE(RangeOf({}).empty());
}

TEST(BBoxTest, AlignedRangeContainsTheRotatedBox) {
  BBox3d box{Range3d{{-1, -1, -1}, {1, 1, 1}}};
  box.Transform(AxisRotationMatrix({0, 0, 1}, 45) * TranslationMatrix({10, 0, 0}));
  const double diagonal = std::sqrt(2.0);
  ExpectRange(box.AlignedRange(), {10 - diagonal, -diagonal, -1}, {10 + diagonal, diagonal, 1});
}

TEST(BBoxTest, CombinesInTheSpaceThatGivesTheSmallerBox) {
  BBox3d turned{Range3d{{-10, -1, -1}, {10, 1, 1}}};
  turned.matrix = AxisRotationMatrix({0, 0, 1}, 45);
  const BBox3d small{Range3d{{-1, -1, -1}, {1, 1, 1}}};
  const BBox3d both = BBox3d::Combine(small, turned);
  EXPECT_EQ(both.matrix, turned.matrix);
  EXPECT_EQ(BBox3d::Combine(small, BBox3d()), small);
}

TEST(BBoxTest, FlattenedSpacesAreProjected) {
  BBox3d flat{Range3d{{-1, -1, -1}, {1, 1, 1}}};
  flat.matrix = ScaleMatrix({1, 1, 0});
  const BBox3d both = BBox3d::Combine(flat, BBox3d{Range3d{{0, 0, 0}, {2, 2, 2}}});
  ExpectRange(both.AlignedRange(), {-1, -1, 0}, {2, 2, 2});
}

TEST(InstanceTransformsTest, MovesByVelocityAndRotatesByAngularVelocity) {
  InstanceArrays arrays;
  arrays.proto_indices = {0};
  arrays.positions = {{1, 0, 0}};
  arrays.velocities = {{0, 2, 0}};
  arrays.accelerations = {{0, 0, 4}};
  arrays.scales = {{2, 2, 2}};
  arrays.orientations = {MakeQuat(1.f, 0.f, 0.f, 0.f)};
  arrays.angular_velocities = {{0, 0, 90}};
  arrays.seconds = 0.5;
  arrays.angular_seconds = 1;
  const Matrix4d protos[] = {TranslationMatrix({1, 0, 0})};
  const auto transforms = ComputeInstanceTransforms(arrays, protos);
  ASSERT_EQ(transforms.size(), 1u);
  const Vec3d origin = Transform({0, 0, 0}, transforms[0]);
  EXPECT_NEAR(origin[0], 1, 1e-12);  // the prototype's (1, 0, 0), scaled, rotated to (0, 2, 0) …
  EXPECT_NEAR(origin[1], 3, 1e-12);  // … and moved by (1, 1, 0.5)
  EXPECT_NEAR(origin[2], 0.5, 1e-12);
}

}  // namespace
}  // namespace stagedoor

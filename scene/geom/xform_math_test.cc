// The math of transform operations, boxes and instances without a scene.
#include <cmath>
#include <optional>
#include <string>
#include <vector>

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

void ExpectNear(const std::optional<Matrix4d>& a, const Matrix4d& b, const std::string& what) {
  ASSERT_TRUE(a.has_value()) << what;
  for (int i = 0; i < 4; ++i) {
    for (int j = 0; j < 4; ++j) {
      EXPECT_NEAR(a->m[i][j], b.m[i][j], 1e-12) << what << " " << i << "," << j;
    }
  }
}

TEST(XformOpNameTest, EachOperationHasAName) {
  const std::pair<std::string, XformOpType> kCases[] = {
      {"translate", XformOpType::kTranslate},   {"translateX", XformOpType::kTranslateX},
      {"translateY", XformOpType::kTranslateY}, {"translateZ", XformOpType::kTranslateZ},
      {"scale", XformOpType::kScale},           {"scaleX", XformOpType::kScaleX},
      {"scaleY", XformOpType::kScaleY},         {"scaleZ", XformOpType::kScaleZ},
      {"rotateX", XformOpType::kRotateX},       {"rotateY", XformOpType::kRotateY},
      {"rotateZ", XformOpType::kRotateZ},       {"rotateXYZ", XformOpType::kRotateXYZ},
      {"rotateXZY", XformOpType::kRotateXZY},   {"rotateYXZ", XformOpType::kRotateYXZ},
      {"rotateYZX", XformOpType::kRotateYZX},   {"rotateZXY", XformOpType::kRotateZXY},
      {"rotateZYX", XformOpType::kRotateZYX},   {"orient", XformOpType::kOrient},
      {"transform", XformOpType::kTransform}};
  for (const auto& [name, type] : kCases) {
    const std::string plain = "xformOp:" + name, suffixed = plain + ":more";
    for (const std::string& entry : {plain, suffixed}) {
      const auto op = ParseXformOpName(entry);
      ASSERT_TRUE(op.has_value()) << entry;
      EXPECT_EQ(op->type, type) << entry;
      EXPECT_FALSE(op->inverse) << entry;
      EXPECT_EQ(op->attribute, entry);
      const std::string inverse = "!invert!" + entry;
      EXPECT_TRUE(ParseXformOpName(inverse)->inverse) << entry;
      EXPECT_EQ(ParseXformOpName(inverse)->attribute, entry);
    }
  }
  for (const char* entry : {"xformOp:", "xformOp:translateXY", "xformOp::translate", "", "!invert!",
                            "!resetXformStack!", "invert!xformOp:scale"}) {
    EXPECT_FALSE(ParseXformOpName(entry).has_value()) << entry;
  }
}

// As in OpenUSD, which multiplies all elements: 0 times infinity is nan.
TEST(XformOpMatrixTest, TheInverseOfNoScaleSpreadsToAllAxes) {
  Matrix4d m = Matrix4d::Identity();
  const Value flat(Vec3d{2, 0, 2});
  ASSERT_TRUE(ApplyXformOp(XformOpType::kScale, flat, true, &m));
  EXPECT_EQ(m.m[0][0], 0.5);
  EXPECT_TRUE(std::isinf(m.m[1][1]));
  // An operation that has no effect is left out.
  ASSERT_TRUE(ApplyXformOp(XformOpType::kTranslate, Value(Vec3d{0, 0, 0}), false, &m));
  EXPECT_EQ(m.m[0][0], 0.5);
  ASSERT_TRUE(ApplyXformOp(XformOpType::kScale, flat, false, &m));
  for (const auto& row : m.m) {
    for (const double x : row) EXPECT_TRUE(std::isnan(x));
  }
  EXPECT_FALSE(ApplyXformOp(XformOpType::kScale, Value(2.0), false, &m));
}

TEST(XformOpMatrixTest, OneAxisAtATime) {
  const struct {
    XformOpType type;
    Matrix4d plain, inverse;
  } kCases[] = {
      {XformOpType::kTranslateX, TranslationMatrix({3, 0, 0}), TranslationMatrix({-3, 0, 0})},
      {XformOpType::kTranslateY, TranslationMatrix({0, 3, 0}), TranslationMatrix({0, -3, 0})},
      {XformOpType::kTranslateZ, TranslationMatrix({0, 0, 3}), TranslationMatrix({0, 0, -3})},
      {XformOpType::kScaleX, ScaleMatrix({3, 1, 1}), ScaleMatrix({-3, 1, 1})},
      {XformOpType::kScaleY, ScaleMatrix({1, 3, 1}), ScaleMatrix({1, -3, 1})},
      {XformOpType::kScaleZ, ScaleMatrix({1, 1, 3}), ScaleMatrix({1, 1, -3})},
      {XformOpType::kRotateX, AxisRotationMatrix({1, 0, 0}, 3), AxisRotationMatrix({1, 0, 0}, -3)},
      {XformOpType::kRotateY, AxisRotationMatrix({0, 1, 0}, 3), AxisRotationMatrix({0, 1, 0}, -3)},
      {XformOpType::kRotateZ, AxisRotationMatrix({0, 0, 1}, 3), AxisRotationMatrix({0, 0, 1}, -3)}};
  for (const auto& c : kCases) {
    const std::string what = std::to_string(static_cast<int>(c.type));
    for (const Value& value : {Value(3.0), Value(3.0f), Value(Half(3))}) {
      ExpectNear(XformOpMatrix(c.type, value, false), c.plain, what);
      ExpectNear(XformOpMatrix(c.type, value, true), c.inverse, what);
    }
    for (const Value& value : {Value(Vec3d{3, 3, 3}), Value(3), Value()}) {
      EXPECT_EQ(XformOpMatrix(c.type, value, false), std::nullopt) << what;
    }
  }
}

TEST(XformOpMatrixTest, ThreeAxesInAnyPrecision) {
  const Matrix4d x = AxisRotationMatrix({1, 0, 0}, 10), y = AxisRotationMatrix({0, 1, 0}, 20),
                 z = AxisRotationMatrix({0, 0, 1}, 30);
  const struct {
    XformOpType type;
    Matrix4d expected;
  } kCases[] = {{XformOpType::kTranslate, TranslationMatrix({10, 20, 30})},
                {XformOpType::kScale, ScaleMatrix({10, 20, 30})},
                {XformOpType::kRotateXYZ, x * y * z},
                {XformOpType::kRotateXZY, x * z * y},
                {XformOpType::kRotateYXZ, y * x * z},
                {XformOpType::kRotateYZX, y * z * x},
                {XformOpType::kRotateZXY, z * x * y},
                {XformOpType::kRotateZYX, z * y * x}};
  for (const auto& c : kCases) {
    const std::string what = std::to_string(static_cast<int>(c.type));
    for (const Value& value : {Value(Vec3d{10, 20, 30}), Value(Vec3f{10, 20, 30}),
                               Value(Vec3h{Half(10), Half(20), Half(30)})}) {
      ExpectNear(XformOpMatrix(c.type, value, false), c.expected, what);
      ExpectNear(*XformOpMatrix(c.type, value, true) * c.expected, Matrix4d::Identity(), what);
    }
    EXPECT_EQ(XformOpMatrix(c.type, Value(10.0), false), std::nullopt) << what;
  }
}

TEST(XformOpMatrixTest, OrientationsOfAnyPrecisionRotate) {
  const Matrix4d expected = AxisRotationMatrix({0, 0, 1}, 120);
  for (const Value& value : {Value(MakeQuat(.5, 0., 0., 1.)), Value(MakeQuat(.5f, 0.f, 0.f, 1.f)),
                             Value(MakeQuat(Half(.5f), Half(0.f), Half(0.f), Half(1.f)))}) {
    ExpectNear(XformOpMatrix(XformOpType::kOrient, value, false), expected, "orient");
  }
  EXPECT_EQ(XformOpMatrix(XformOpType::kOrient, Value(1.0), false), std::nullopt);
  ExpectNear(XformOpMatrix(XformOpType::kOrient, Value(MakeQuat(.5, 0., 0., 0.)), false),
             Matrix4d::Identity(), "no axis");
  ExpectNear(XformOpMatrix(XformOpType::kOrient, Value(MakeQuat(-2., 0., 0., 1.)), false),
             AxisRotationMatrix({0, 0, 1}, 360), "a real part below -1");
}

TEST(XformOpMatrixTest, OperationsMultiplyOnTheRight) {
  const Matrix4d start = TranslationMatrix({1, 2, 3}) * AxisRotationMatrix({1, 1, 0}, 40);
  Matrix4d transform = ScaleMatrix({2, 4, 8});
  transform.m[3][1] = 5;
  const struct {
    XformOpType type;
    Value value;
    Matrix4d matrix;
  } kCases[] = {
      {XformOpType::kTranslate, Value(Vec3d{4, 5, 6}), TranslationMatrix({4, 5, 6})},
      {XformOpType::kScale, Value(Vec3d{4, 5, 6}), ScaleMatrix({4, 5, 6})},
      {XformOpType::kRotateY, Value(50.0), AxisRotationMatrix({0, 1, 0}, 50)},
      {XformOpType::kTransform, Value(transform), transform},
      {XformOpType::kOrient, Value(MakeQuat(.5, 0., 0., 1.)), AxisRotationMatrix({0, 0, 1}, 120)}};
  for (const auto& c : kCases) {
    const std::string what = std::to_string(static_cast<int>(c.type));
    Matrix4d m = start;
    EXPECT_TRUE(ApplyXformOp(c.type, c.value, false, &m));
    ExpectNear(m, start * c.matrix, what);
    EXPECT_TRUE(ApplyXformOp(c.type, c.value, true, &m));
    ExpectNear(m, start, what + " and back");
    EXPECT_FALSE(ApplyXformOp(c.type, Value(Token("no")), false, &m));
    ExpectNear(m, start, what + " with a value of another type");
  }
  Matrix4d m = start;
  EXPECT_TRUE(ApplyXformOp(XformOpType::kTransform, Value(ScaleMatrix({0, 1, 1})), true, &m));
  ExpectNear(m, start, "the inverse of a singular matrix");
}

TEST(XformOpOrderTest, OnlyAdjacentInversesOfOneAttributeCancel) {
  const auto simple = [](const std::vector<std::string>& names) {
    std::vector<Token> order;
    for (const std::string& name : names) order.push_back(Token(name));
    std::string text;
    const XformOpOrder result = SimplifyXformOpOrder(order);
    for (const Token entry : result.entries) text += entry.str() + " ";
    return text + (result.resets ? "resets" : "");
  };
  EXPECT_EQ(simple({}), "");
  EXPECT_EQ(simple({"xformOp:scale", "!invert!xformOp:scale"}), "");
  EXPECT_EQ(simple({"!invert!xformOp:scale", "xformOp:scale"}), "");
  EXPECT_EQ(simple({"xformOp:scale", "xformOp:scale"}), "xformOp:scale xformOp:scale ");
  EXPECT_EQ(simple({"!invert!xformOp:scale", "!invert!xformOp:scale"}),
            "!invert!xformOp:scale !invert!xformOp:scale ");
  EXPECT_EQ(simple({"xformOp:scale", "!invert!xformOp:scale:b"}),
            "xformOp:scale !invert!xformOp:scale:b ");
  EXPECT_EQ(simple({"odd", "odd"}), "odd odd ");
  EXPECT_EQ(simple({"xformOp:scale", "!resetXformStack!", "!invert!xformOp:scale"}),
            "!invert!xformOp:scale resets");
  EXPECT_EQ(simple({"!resetXformStack!", "xformOp:scale", "!resetXformStack!"}), "resets");
}

TEST(RangeTest, ContainsEveryPointForAnyCount) {
  for (size_t count = 1; count <= 13; ++count) {
    for (size_t odd = 0; odd < count; ++odd) {
      std::vector<Vec3f> points(count, Vec3f{1, 2, 3});
      points[odd] = {-4, 5, 9};
      const Range3d range = RangeOf(points);
      const bool only = count == 1;
      EXPECT_EQ(range, (Range3d{{-4, only ? 5. : 2., only ? 9. : 3.}, {only ? -4. : 1., 5, 9}}))
          << odd << " of " << count;
    }
  }
}

TEST(RangeTest, IsEmptyIfAnyMinimumIsAboveItsMaximum) {
  EXPECT_TRUE(Range3d().empty());
  EXPECT_FALSE((Range3d{{1, 1, 1}, {1, 1, 1}}.empty()));
  EXPECT_TRUE((Range3d{{2, 0, 0}, {1, 1, 1}}.empty()));
  EXPECT_TRUE((Range3d{{0, 2, 0}, {1, 1, 1}}.empty()));
  EXPECT_TRUE((Range3d{{0, 0, 2}, {1, 1, 1}}.empty()));
  Range3d range{{0, 0, 0}, {1, 1, 1}};
  range.Extend(Range3d{{-1, 0.5, 0}, {0, 3, 0.5}});
  EXPECT_EQ(range, (Range3d{{-1, 0, 0}, {1, 3, 1}}));
  range.Extend(Vec3d{0, -2, 7});
  EXPECT_EQ(range, (Range3d{{-1, -2, 0}, {1, 3, 7}}));
}

TEST(BBoxVolumeTest, IsThatOfTheTransformedBox) {
  BBox3d box{Range3d{{0, 1, 2}, {2, 4, 6}}};
  EXPECT_EQ(box.Volume(), 24);
  box.Transform(ScaleMatrix({-2, 1, 1}));
  EXPECT_EQ(box.Volume(), 48);
  EXPECT_EQ(BBox3d().Volume(), 0);
  EXPECT_EQ(BBox3d().AlignedRange(), Range3d());
  EXPECT_TRUE(BBox3d::Combine(BBox3d(), BBox3d()).empty());
}

TEST(BBoxVolumeTest, OfTwoEqualSpacesTheFirstIsKept) {
  BBox3d a{Range3d{{0, 0, 0}, {1, 1, 1}}}, b = a;
  b.Transform(TranslationMatrix({4, 0, 0}));
  const BBox3d both = BBox3d::Combine(a, b), other = BBox3d::Combine(b, a);
  EXPECT_EQ(both.matrix, a.matrix);
  EXPECT_EQ(both.range, (Range3d{{0, 0, 0}, {5, 1, 1}}));
  EXPECT_EQ(other.matrix, b.matrix);
  EXPECT_EQ(other.range, (Range3d{{-4, 0, 0}, {1, 1, 1}}));
}

TEST(BBoxVolumeTest, FlatBoxesCombineInTheOtherSpaceOrWorldSpace) {
  BBox3d flat{Range3d{{-1, -1, -1}, {1, 1, 1}}, ScaleMatrix({1, 1, 0})};
  BBox3d moved{Range3d{{0, 0, 0}, {1, 1, 1}}, TranslationMatrix({3, 0, 0})};
  for (const BBox3d& both : {BBox3d::Combine(flat, moved), BBox3d::Combine(moved, flat)}) {
    EXPECT_EQ(both.matrix, moved.matrix);
    EXPECT_EQ(both.range, (Range3d{{-4, -1, 0}, {1, 1, 1}}));
  }
  const BBox3d flats = BBox3d::Combine(flat, flat);
  EXPECT_EQ(flats.matrix, Matrix4d::Identity());
  EXPECT_EQ(flats.range, (Range3d{{-1, -1, 0}, {1, 1, 0}}));
}

TEST(ExtentTest, RoundShapesFollowTheirAxis) {
  EXPECT_EQ(CylinderExtent(4, 1, Axis::kX), (Range3d{{-2, -1, -1}, {2, 1, 1}}));
  EXPECT_EQ(CapsuleExtent(4, 1, Axis::kX), (Range3d{{-3, -1, -1}, {3, 1, 1}}));
  EXPECT_EQ(CapsuleExtent(4, 1, Axis::kY), (Range3d{{-1, -3, -1}, {1, 3, 1}}));
  EXPECT_EQ(TaperedCapsuleExtent(0, 1, 2, Axis::kZ), (Range3d{{-2, -2, -2}, {2, 2, 1}}))
      << "two half spheres";
  EXPECT_EQ(TaperedCapsuleExtent(2, 1, 1, Axis::kZ), (Range3d{{-1, -1, -2}, {1, 1, 2}}));
  EXPECT_EQ(SphereExtent(0.1), (Range3d{{-0.1f, -0.1f, -0.1f}, {0.1f, 0.1f, 0.1f}}))
      << "rounded to float";
}

TEST(InstanceTransformsTest, MissingArraysAreIgnored) {
  InstanceArrays arrays;
  arrays.proto_indices = {1, 0, 1};
  arrays.positions = {{1, 0, 0}, {2, 0, 0}, {3, 0, 0}};
  const Matrix4d protos[] = {TranslationMatrix({0, 10, 0}), TranslationMatrix({0, 20, 0})};
  EXPECT_EQ(ComputeInstanceTransforms(arrays, protos),
            (std::vector<Matrix4d>{TranslationMatrix({1, 20, 0}), TranslationMatrix({2, 10, 0}),
                                   TranslationMatrix({3, 20, 0})}));
  EXPECT_EQ(ComputeInstanceTransforms(arrays, {})[1], TranslationMatrix({2, 0, 0}));
  Matrix4d last[2];
  ComputeInstanceTransforms(arrays, protos, 1, last);
  EXPECT_EQ(last[0], TranslationMatrix({2, 10, 0}));
  EXPECT_EQ(last[1], TranslationMatrix({3, 20, 0}));
  arrays.seconds = 2;
  arrays.accelerations = {{0, 0, 1}, {0, 0, 1}, {0, 0, 1}};
  EXPECT_EQ(ComputeInstanceTransforms(arrays, {})[0], TranslationMatrix({1, 0, 0}))
      << "accelerations change velocities only";
  arrays.velocities = {{0, 3, 0}, {0, 3, 0}, {0, 3, 0}};
  EXPECT_EQ(ComputeInstanceTransforms(arrays, {})[0], TranslationMatrix({1, 6, 2}));
  arrays.angular_velocities = {{0, 0, 90}, {0, 0, 90}, {0, 0, 90}};
  arrays.angular_seconds = 1;
  EXPECT_EQ(ComputeInstanceTransforms(arrays, {})[0], TranslationMatrix({1, 6, 2}))
      << "nothing rotates without orientations";
}

}  // namespace
}  // namespace stagedoor

#include "scene/skel/packed_shapes.h"

#include <initializer_list>
#include <utility>
#include <vector>

#include "gtest/gtest.h"

namespace stagedoor {
namespace {

// A shape with these offsets at 1 and, unless there are none, these at 0.5.
BlendShape ShapeOf(std::initializer_list<int> indices, std::vector<Vec3f> full,
                   std::vector<Vec3f> half = {}) {
  BlendShape shape;
  shape.point_indices = Array<int>(indices);
  shape.sub_shapes.push_back({.weight = 1,
                              .is_null = false,
                              .inbetween = {},
                              .offsets = Array<Vec3f>::FromVector(std::move(full)),
                              .normal_offsets = {}});
  if (!half.empty()) {
    shape.sub_shapes.push_back({.weight = 0.5f,
                                .is_null = false,
                                .inbetween = {},
                                .offsets = Array<Vec3f>::FromVector(std::move(half)),
                                .normal_offsets = {}});
  }
  FinishBlendShape(&shape);
  return shape;
}

std::vector<Vec4f> OffsetsOf(const PackedShapeTable& table, size_t point) {
  const Vec2i range = table.ranges[point];
  return {table.offsets.begin() + range[0], table.offsets.begin() + range[1]};
}

TEST(PackedShapesTest, OffsetsComeByPointWithTheNumbersOfTheirSubShapes) {
  RequestContext context;
  // The null shapes have the numbers 0 and 2.
  const std::vector<BlendShape> shapes = {
      ShapeOf({}, {{1, 0, 0}, {2, 0, 0}, {3, 0, 0}}),
      ShapeOf({2, 0}, {{0, 5, 0}, {0, 6, 0}}, {{0, 0, 7}, {0, 0, 8}}),
  };
  const auto table = ComputePackedShapeTable(context, shapes, 3);
  ASSERT_TRUE(table.ok()) << table.status();
  using Offsets = std::vector<Vec4f>;
  EXPECT_EQ(OffsetsOf(*table, 0), (Offsets{{1, 0, 0, 1}, {0, 0, 8, 3}, {0, 6, 0, 4}}));
  EXPECT_EQ(OffsetsOf(*table, 1), (Offsets{{2, 0, 0, 1}}));
  EXPECT_EQ(OffsetsOf(*table, 2), (Offsets{{3, 0, 0, 1}, {0, 0, 7, 3}, {0, 5, 0, 4}}));
}

TEST(PackedShapesTest, SubShapesThatDoNotFitAreLeftOut) {
  RequestContext context;
  const std::vector<BlendShape> shapes = {
      ShapeOf({}, {{1, 0, 0}}),              // for one point instead of two
      ShapeOf({2}, {{1, 0, 0}}),             // a point that does not exist
      ShapeOf({-1}, {{1, 0, 0}}),            //
      ShapeOf({0}, {{1, 0, 0}, {2, 0, 0}}),  // two offsets for an index
      ShapeOf({1}, {{9, 0, 0}}),
  };
  const auto table = ComputePackedShapeTable(context, shapes, 2);
  ASSERT_TRUE(table.ok()) << table.status();
  EXPECT_EQ(OffsetsOf(*table, 0), std::vector<Vec4f>());
  EXPECT_EQ(OffsetsOf(*table, 1), (std::vector<Vec4f>{{9, 0, 0, 9}}));
}

TEST(PackedShapesTest, EndsWithTheRequest) {
  RequestContext context;
  context.Cancel();
  std::vector<Vec3f> many(1 << 16, Vec3f{1, 0, 0});
  const std::vector<BlendShape> shapes = {ShapeOf({}, many)};
  EXPECT_FALSE(ComputePackedShapeTable(context, shapes, many.size()).ok());
}

}  // namespace
}  // namespace stagedoor

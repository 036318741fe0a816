#include "scene/skel/skin_sources.h"

#include <cstdint>
#include <utility>
#include <vector>

#include "gtest/gtest.h"

namespace stagedoor {
namespace {

template <typename T>
Array<T> Thousand() {
  return Array<T>::FromVector(std::vector<T>(1000));
}

size_t BytesWith(BlendShape shape, SubShape sub) {
  shape.sub_shapes.push_back(std::move(sub));
  SkinSources sources;
  sources.shapes.push_back(std::move(shape));
  return sources.byte_size();
}

TEST(SkinSourcesTest, ByteSizeCountsTheArraysOfBlendShapes) {
  const size_t none = BytesWith({}, {});
  EXPECT_EQ(BytesWith({}, {.offsets = Thousand<Vec3f>()}), none + 12000);
  EXPECT_EQ(BytesWith({}, {.normal_offsets = Thousand<Vec3f>()}), none + 12000);
  EXPECT_EQ(BytesWith({.point_indices = Thousand<int>()}, {}), none + 4000);
  EXPECT_EQ(BytesWith({.block_begins = std::vector<uint32_t>(1000)}, {}), none + 4000);
}

TEST(SkinSourcesTest, ByteSizeLeavesOutArraysOfLayers) {
  const Array<Vec3f> kept = Thousand<Vec3f>();
  EXPECT_EQ(BytesWith({}, {.offsets = kept}), BytesWith({}, {}));
}

}  // namespace
}  // namespace stagedoor

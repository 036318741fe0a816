#include "server/queries/shared_skin_parts.h"

#include <gtest/gtest.h>

namespace stagedoor::server {
namespace {

TEST(SharedSkinPartsTest, ATimeOfASkeletonHasOneNumber) {
  RequestContext context;
  SharedSkinParts parts(context);
  const auto first = parts.PoseOf(1, TimeCode::At(1));
  EXPECT_EQ(first.number, 1u);
  EXPECT_TRUE(first.fresh);
  EXPECT_EQ(parts.PoseOf(1, TimeCode::At(1)).number, 1u);
  EXPECT_FALSE(parts.PoseOf(1, TimeCode::At(1)).fresh);
  EXPECT_EQ(parts.PoseOf(2, TimeCode::At(1)).number, 2u);
  EXPECT_EQ(parts.PoseOf(1, TimeCode::Default()).number, 3u);
}

TEST(SharedSkinPartsTest, APoseWithoutBytesIsNone) {
  RequestContext context;
  SharedSkinParts parts(context);
  EXPECT_TRUE(parts.PoseOf(1, TimeCode::At(1)).fresh);
  parts.SetPoseBytes(1, TimeCode::At(1), 0);
  EXPECT_FALSE(parts.PoseOf(1, TimeCode::At(1)).fresh);
  EXPECT_EQ(parts.PoseOf(1, TimeCode::At(1)).number, 0u);
}

TEST(SharedSkinPartsTest, ManyPartsFillIt) {
  RequestContext context;
  SharedSkinParts parts(context);
  uint32_t last = 0;
  for (int i = 0; i < 1 << 17 && !parts.IsFull(); ++i) {
    last = parts.PoseOf(1, TimeCode::At(i)).number;
  }
  EXPECT_TRUE(parts.IsFull());
  EXPECT_GT(context.reserved_bytes(), 0u);
  parts.Clear();
  EXPECT_FALSE(parts.IsFull());
  EXPECT_EQ(context.reserved_bytes(), 0u);
  EXPECT_EQ(parts.PoseOf(1, TimeCode::At(0)).number, last + 1) << "no number is used twice";
}

TEST(SharedSkinPartsTest, LargePosesFillIt) {
  RequestContext context;
  SharedSkinParts parts(context);
  for (int i = 0; i < 9; ++i) {
    EXPECT_FALSE(parts.IsFull()) << i;
    parts.PoseOf(1, TimeCode::At(i));
    parts.SetPoseBytes(1, TimeCode::At(i), size_t{32} << 20);
  }
  EXPECT_TRUE(parts.IsFull());
}

}  // namespace
}  // namespace stagedoor::server

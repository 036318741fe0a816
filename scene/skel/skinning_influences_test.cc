#include "scene/skel/skinning_influences.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "base/status.h"

namespace stagedoor {
namespace {

using Floats = std::vector<float>;
using Ints = std::vector<int>;

constexpr size_t kBlock = SkinningInfluences::kBlock;

std::string Refusal(const Ints& indices, const Floats& weights, int per_point, size_t points,
                    size_t joints) {
  const auto prepared = SkinningInfluences::Create(indices, weights, per_point, points, joints);
  if (prepared.ok()) return "";
  EXPECT_EQ(prepared.status().code(), absl::StatusCode::kInvalidArgument);
  return std::string(Message(prepared.status()));
}

TEST(SkinningInfluencesTest, RejectsInvalidInfluences) {
  const Ints indices = {0, 1, 2, 5};
  const Floats weights = {1, 0, .5f, .5f};
  EXPECT_EQ(Refusal(indices, weights, 2, 2, 6), "");
  EXPECT_EQ(Refusal(indices, weights, 2, 2, 5), "joint index 5 at element 3 is out of range");
  EXPECT_EQ(Refusal({0, 1, -1, 5}, weights, 2, 2, 6),
            "joint index -1 at element 2 is out of range");
  EXPECT_NE(Refusal(indices, weights, 2, 3, 6), "");
  EXPECT_NE(Refusal(indices, weights, 2, 1, 6), "");
  EXPECT_NE(Refusal(indices, weights, 3, 1, 6), "");
  EXPECT_NE(Refusal(indices, weights, 0, 2, 6), "");
  EXPECT_NE(Refusal(indices, weights, -1, 2, 6), "");
  EXPECT_NE(Refusal(indices, {1, 0, .5f}, 2, 2, 6), "");
}

TEST(SkinningInfluencesTest, LargestWeightsComeFirstAndZerosAreDropped) {
  const auto prepared =
      SkinningInfluences::Create(Ints{3, 4, 5, 6, 7, 8}, Floats{.25f, .75f, 0, 0, 0, 0}, 3, 2, 9);
  ASSERT_TRUE(prepared.ok());
  ASSERT_EQ(prepared->blocks(), 1u);
  const SkinningInfluences::Block block = prepared->block(0);
  EXPECT_EQ(block.points, 2u);
  ASSERT_EQ(block.per_point, 2u);
  EXPECT_EQ(Floats(block.weights, block.weights + 4), (Floats{.75f, .25f, 0, 0}));
  EXPECT_EQ(Ints(block.joints, block.joints + 4), (Ints{4, 3, 6, 6}))
      << "padding names the point's own first joint";
}

TEST(SkinningInfluencesTest, NegativeWeightsAreKept) {
  const auto prepared =
      SkinningInfluences::Create(Ints{1, 2, 1, 2}, Floats{-2, 1, -2, -1}, 2, 2, 3);
  ASSERT_TRUE(prepared.ok());
  const SkinningInfluences::Block block = prepared->block(0);
  ASSERT_EQ(block.per_point, 2u);
  EXPECT_EQ(Floats(block.weights, block.weights + 4), (Floats{1, -2, -1, -2}));
}

TEST(SkinningInfluencesTest, EachBlockHasTheInfluencesItsPointsNeed) {
  Ints indices;
  Floats weights;
  for (size_t p = 0; p <= kBlock; ++p) {
    indices.insert(indices.end(), {0, 1});
    weights.insert(weights.end(), {1, p == kBlock ? 0.5f : 0.0f});
  }
  const auto prepared = SkinningInfluences::Create(indices, weights, 2, kBlock + 1, 2);
  ASSERT_TRUE(prepared.ok());
  ASSERT_EQ(prepared->blocks(), 2u);
  EXPECT_EQ(prepared->block(0).first_point, 0u);
  EXPECT_EQ(prepared->block(0).points, kBlock);
  EXPECT_EQ(prepared->block(0).per_point, 1u);
  EXPECT_EQ(prepared->block(1).first_point, kBlock);
  EXPECT_EQ(prepared->block(1).points, 1u);
  EXPECT_EQ(prepared->block(1).per_point, 2u);
  EXPECT_EQ(prepared->block(1).weights[1], 0.5f);
}

}  // namespace
}  // namespace stagedoor

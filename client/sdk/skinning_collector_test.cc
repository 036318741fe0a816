#include "client/sdk/skinning_collector.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace stagedoor::sdk {
namespace {

template <typename T>
v1::PackedValues Packed(v1::ComponentType type, const std::vector<T>& numbers) {
  v1::PackedValues packed;
  packed.set_component_type(type);
  packed.set_count(numbers.size());
  packed.set_data(
      std::string(reinterpret_cast<const char*>(numbers.data()), numbers.size() * sizeof(T)));
  return packed;
}
v1::PackedValues Doubles(const std::vector<double>& numbers) {
  return Packed(v1::COMPONENT_TYPE_FLOAT64, numbers);
}
v1::PackedValues Floats(const std::vector<float>& numbers) {
  return Packed(v1::COMPONENT_TYPE_FLOAT32, numbers);
}
v1::PackedValues Ints(const std::vector<int32_t>& numbers) {
  return Packed(v1::COMPONENT_TYPE_INT32, numbers);
}

std::vector<double> Translated(double x) {
  return {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, x, 0, 0, 1};
}

// A prim with a binding, and a pose of its skeleton.
v1::ComputeSkinningResponse Reply() {
  v1::ComputeSkinningResponse reply;
  reply.set_snapshot("s");
  v1::SkinningSkeleton* skeleton = reply.add_skeletons();
  skeleton->set_number(1);
  *skeleton->mutable_inverse_bind_transforms() = Doubles(Translated(-2));
  v1::SkinningPose* pose = reply.add_poses();
  pose->set_number(1);
  *pose->mutable_skinning_transforms() = Doubles(Translated(3));
  v1::SkinningBinding* binding = reply.add_bindings();
  binding->set_number(1);
  binding->set_skeleton(1);
  *binding->mutable_joint_mapping() = Ints({0, -1});
  binding->mutable_influences()->set_influences_per_component(2);
  *binding->mutable_influences()->mutable_indices() = Ints({0, 1});
  *binding->mutable_influences()->mutable_weights() = Floats({0.25f, 0.75f});
  *binding->mutable_geom_bind_transform() = Doubles(Translated(4));
  v1::SkinningItem* item = reply.add_items();
  item->set_path("/M");
  item->set_binding(1);
  item->set_pose(1);
  *item->mutable_skeleton_to_prim() = Doubles(Translated(5));
  *item->mutable_blend_shape_weights() = Floats({0.5f});
  return reply;
}

TEST(SkinningCollectorTest, ItemsArePutTogether) {
  SkinningCollector collector;
  ASSERT_TRUE(collector.Add(Reply()).ok());
  EXPECT_EQ(collector.snapshot(), "s");
  ASSERT_EQ(collector.prims().size(), 1u);
  const Skinning& skinning = collector.prims()[0];
  EXPECT_EQ(skinning.path, "/M");
  EXPECT_EQ(skinning.joint_mapping[1], -1);
  EXPECT_EQ(skinning.inverse_bind_transforms[0][3][0], -2);
  ASSERT_EQ(skinning.poses.size(), 1u);
  const SkinningPose& pose = skinning.poses[0];
  EXPECT_EQ(pose.skinning_transforms[0][3][0], 3);
  EXPECT_EQ(pose.geom_bind_transform[3][0], 4);
  EXPECT_EQ(pose.skeleton_to_prim[3][0], 5);
  EXPECT_EQ(pose.influences.per_component, 2u);
  EXPECT_EQ(pose.influences.weights[1], 0.75f);
  EXPECT_EQ(pose.blend_shape_weights[0], 0.5f);
}

TEST(SkinningCollectorTest, ItemsMayHaveInfluencesOfTheirOwn) {
  auto reply = Reply();
  v1::SkinningItem* item = reply.add_items();
  *item = reply.items(0);
  item->set_time_index(1);
  item->mutable_influences()->set_influences_per_component(1);
  *item->mutable_influences()->mutable_indices() = Ints({1});
  *item->mutable_influences()->mutable_weights() = Floats({1});
  *item->mutable_geom_bind_transform() = Doubles(Translated(6));
  SkinningCollector collector;
  ASSERT_TRUE(collector.Add(reply).ok());
  ASSERT_EQ(collector.prims().size(), 1u) << "a prim at two times";
  const std::vector<SkinningPose>& poses = collector.prims()[0].poses;
  ASSERT_EQ(poses.size(), 2u);
  EXPECT_EQ(poses[0].influences.per_component, 2u);
  EXPECT_EQ(poses[1].influences.per_component, 1u);
  EXPECT_EQ(poses[1].geom_bind_transform[3][0], 6);
}

TEST(SkinningCollectorTest, PathsThatFailHaveAStatus) {
  v1::ComputeSkinningResponse reply = Reply();
  v1::SkinningItem* item = reply.add_items();
  item->set_path("/X");
  item->mutable_error()->set_code(5);
  SkinningCollector collector;
  ASSERT_TRUE(collector.Add(reply).ok());
  ASSERT_EQ(collector.prims().size(), 2u);
  EXPECT_EQ(collector.prims()[1].status.code(), absl::StatusCode::kNotFound);
  EXPECT_EQ(collector.prims()[1].binding, nullptr);
}

TEST(SkinningCollectorTest, InconsistentRepliesAreErrors) {
  const auto code = [](const v1::ComputeSkinningResponse& reply) {
    return SkinningCollector().Add(reply).code();
  };
  const auto lost = absl::StatusCode::kDataLoss;
  auto reply = Reply();
  reply.mutable_items(0)->set_binding(2);
  EXPECT_EQ(code(reply), lost);
  reply = Reply();
  reply.mutable_items(0)->set_pose(2);
  EXPECT_EQ(code(reply), lost);
  reply = Reply();
  reply.mutable_bindings(0)->set_skeleton(2);
  EXPECT_EQ(code(reply), lost);
  reply = Reply();
  reply.mutable_bindings(0)->mutable_influences()->set_influences_per_component(3);
  EXPECT_EQ(code(reply), lost);
  reply = Reply();
  *reply.mutable_bindings(0)->mutable_influences()->mutable_weights() = Floats({1});
  EXPECT_EQ(code(reply), lost);
}

TEST(SkinningCollectorTest, NothingIsKeptOnceAReplyStartsOver) {
  SkinningCollector collector;
  ASSERT_TRUE(collector.Add(Reply()).ok());
  auto next = Reply();
  next.set_starts_over(true);
  next.clear_bindings();
  EXPECT_EQ(collector.Add(next).code(), absl::StatusCode::kDataLoss);
}

}  // namespace
}  // namespace stagedoor::sdk

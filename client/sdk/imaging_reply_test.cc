#include "client/sdk/imaging_reply.h"

#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <vector>

#include "client/cc/error_reason.h"

namespace stagedoor::sdk {
namespace {

using Set = std::vector<uint32_t>;

const std::vector<std::string> kPaths = {"/A", "/B"};

v1::ComputeBoundMaterialsResponse Bound(std::vector<std::string> materials,
                                        const std::vector<uint32_t>& chosen) {
  v1::ComputeBoundMaterialsResponse reply;
  reply.mutable_materials()->Add(materials.begin(), materials.end());
  reply.mutable_material()->Add(chosen.begin(), chosen.end());
  return reply;
}

v1::ItemStatus MissingPrim(uint32_t path) {
  v1::ItemStatus error;
  error.set_item(path);
  error.set_code(5);
  error.set_reason(v1::ERROR_REASON_PRIM_NOT_FOUND);
  return error;
}

TEST(ImagingReplyTest, EachPathAndPurposeHasItsMaterial) {
  const auto found = BoundMaterialsIn(Bound({"/M", "/N"}, {1, 2, 0, 1}), kPaths, 2);
  ASSERT_TRUE(found.ok()) << found.status();
  EXPECT_EQ(found->path_count(), 2u);
  EXPECT_EQ(*found->Get(0, 0), "/M");
  EXPECT_EQ(*found->Get(0, 1), "/N");
  EXPECT_EQ(*found->Get(1, 0), "");
  EXPECT_EQ(*found->Get(1, 1), "/M");
  EXPECT_EQ(found->Get(0, 2).status().code(), absl::StatusCode::kOutOfRange);
  EXPECT_EQ(found->Get(2, 0).status().code(), absl::StatusCode::kOutOfRange);
}

TEST(ImagingReplyTest, PartsAreJoinedInOrder) {
  auto second = Bound({"/N", "/M"}, {0, 2});
  *second.add_path_errors() = MissingPrim(0);
  const BoundMaterials parts[] = {BoundMaterialsIn(Bound({"/M"}, {1, 1}), kPaths, 1).value(),
                                  BoundMaterialsIn(second, kPaths, 1).value()};
  const BoundMaterials joined = JoinMaterials(parts, 1);
  EXPECT_EQ(joined.path_count(), 4u);
  EXPECT_EQ(*joined.Get(1), "/M");
  EXPECT_EQ(ErrorReason(joined.Get(2).status()), "PRIM_NOT_FOUND");
  EXPECT_EQ(*joined.Get(3), "/M");
  EXPECT_EQ(joined.distinct().size(), 2u) << "each once";
}

TEST(ImagingReplyTest, SetsOfLightsAreJoinedIfTheLightsAreTheSame) {
  v1::ComputeLightSetsResponse reply;
  reply.add_lights("/L");
  reply.add_lights("/R");
  reply.add_sets()->add_lights(1);
  reply.add_set(1);
  reply.add_set(0);
  const LightSets part = LightSetsIn(reply, kPaths).value();
  EXPECT_EQ(*part.sets.Get(0), Set{1});
  EXPECT_EQ(*part.sets.Get(1), Set{});
  const LightSets joined = JoinLightSets({part, part}).value();
  EXPECT_EQ(joined.lights, part.lights);
  EXPECT_EQ(*joined.sets.Get(2), Set{1});
  reply.set_lights(1, "/S");
  EXPECT_TRUE(absl::IsDataLoss(JoinLightSets({part, *LightSetsIn(reply, kPaths)}).status()));
}

TEST(ImagingReplyTest, RepliesThatDoNotFitAreDataLoss) {
  EXPECT_TRUE(absl::IsDataLoss(BoundMaterialsIn(Bound({"/M"}, {1, 2}), kPaths, 1).status()));
  EXPECT_TRUE(absl::IsDataLoss(BoundMaterialsIn(Bound({"/M"}, {1}), kPaths, 1).status()));
  v1::ComputeLightSetsResponse sets;
  sets.add_lights("/L");
  sets.add_sets()->add_lights(1);
  sets.add_set(1);
  sets.add_set(1);
  EXPECT_TRUE(absl::IsDataLoss(LightSetsIn(sets, kPaths).status()));
  EXPECT_TRUE(absl::IsDataLoss(CameraIn({}, "/A").status()));
}

template <typename T>
void Fill(const T& value, v1::PackedValues* packed) {
  packed->mutable_data()->resize(sizeof(T));
  std::memcpy(packed->mutable_data()->data(), &value, sizeof(T));
}

TEST(ImagingReplyTest, ACameraHasItsFieldsOrTheErrorOfItsPath) {
  v1::ComputeCamerasResponse reply;
  for (auto* packed : {reply.mutable_local_to_world(), reply.mutable_view_matrix(),
                       reply.mutable_projection_matrix()}) {
    Fill(Matrix4d{}, packed);
  }
  Fill(Vec4d{-1, -2, 1, 2}, reply.mutable_window());
  Fill(Vec2f{0.5F, 10}, reply.mutable_clipping_range());
  reply.add_focal_length(35);
  reply.add_f_stop(2);
  reply.add_focus_distance(4);
  reply.add_shutter_open(-0.25);
  reply.add_shutter_close(0.25);
  const Camera camera = CameraIn(reply, "/A").value();
  EXPECT_EQ(camera.window, (Vec4d{-1, -2, 1, 2}));
  EXPECT_EQ(camera.clipping_range[1], 10);
  EXPECT_EQ(camera.focal_length, 35);
  EXPECT_EQ(camera.shutter_open, -0.25);
  reply.mutable_window()->mutable_data()->pop_back();
  EXPECT_TRUE(absl::IsDataLoss(CameraIn(reply, "/A").status()));
  *reply.add_path_errors() = MissingPrim(0);
  EXPECT_EQ(ErrorReason(CameraIn(reply, "/A").status()), "PRIM_NOT_FOUND");
}

}  // namespace
}  // namespace stagedoor::sdk

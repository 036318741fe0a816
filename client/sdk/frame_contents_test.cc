#include "client/sdk/frame_contents.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "client/sdk/testing/frame_messages.h"
#include "client/sdk/value_getter.h"

namespace stagedoor::sdk {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Pair;
using ::testing::UnorderedElementsAre;

FrameChanges Apply(const v1::ExtractFrameResponse& message, FrameContents* contents) {
  FrameChanges changes;
  const absl::Status status = contents->Apply(message, &changes);
  EXPECT_TRUE(status.ok()) << status;
  return changes;
}

// The contents after one message.
FrameContents ContentsOf(const v1::ExtractFrameResponse& message) {
  FrameContents contents;
  Apply(message, &contents);
  return contents;
}

TEST(FrameContentsTest, ACompleteFrameHasAllItsObjects) {
  FrameContents contents;
  const FrameChanges changes = Apply(WholeFrame(), &contents);
  EXPECT_TRUE(changes.complete && changes.camera && changes.settings);
  EXPECT_THAT(changes.prims, ElementsAre(kMesh, kInstancer));
  EXPECT_EQ(contents.header().snapshot(), "snapshot");
  EXPECT_EQ(contents.settings()->path(), "/Settings");

  const FramePrim& mesh = contents.prims().at(kMesh);
  EXPECT_EQ(mesh.path, "/Mesh");
  EXPECT_EQ(mesh.type_name, "Mesh");
  EXPECT_EQ(mesh.purpose, v1::PURPOSE_RENDER);
  EXPECT_EQ(mesh.material, kMaterial);
  EXPECT_EQ(mesh.light_set, 1u);
  EXPECT_EQ(mesh.geometry, kMeshGeometry);
  EXPECT_EQ(contents.prims().at(kInstancer).type_name, "PointInstancer");

  EXPECT_EQ(contents.materials().at(kMaterial).network->nodes(0).id(), "UsdPreviewSurface");
  EXPECT_THAT(contents.light_sets().at(1), ElementsAre(kLight));
  const FrameLight& light = contents.lights().at(kLight);
  EXPECT_EQ(light.message->path(), "/Light");
  EXPECT_EQ(light.values.at("inputs:intensity").samples[0].Get<float>().value(), 2);
  const FrameSubset& subset = contents.subsets().at(kSubset);
  EXPECT_EQ(subset.prim, kMesh);
  EXPECT_THAT(subset.indices.span(), ElementsAre(3, 4));
}

TEST(FrameContentsTest, ValuesAreTakenFromOtherGeometry) {
  FrameContents contents = ContentsOf(WholeFrame());
  v1::ExtractFrameResponse message;
  v1::FrameGeometry& geometry = *message.add_geometry();
  geometry.set_id(kInstancerGeometry);
  v1::FrameSharedValues& shared = *geometry.add_shared();
  shared.set_geometry(kMeshGeometry);
  shared.add_names("points");
  const FrameChanges changes = Apply(message, &contents);
  ASSERT_EQ(changes.geometry.size(), 1u);
  EXPECT_THAT(changes.geometry[0].values, ElementsAre("points"));
  const FrameValue* value = contents.geometry().at(kInstancerGeometry).Find("points");
  ASSERT_NE(value, nullptr);
  EXPECT_EQ(value->message, contents.geometry().at(kMeshGeometry).Find("points")->message);
}

TEST(FrameContentsTest, ValuesThatOtherGeometryLacksAreDataLoss) {
  FrameContents contents = ContentsOf(WholeFrame());
  v1::ExtractFrameResponse message;
  v1::FrameSharedValues& shared = *message.add_geometry()->add_shared();
  shared.add_names("points");
  FrameChanges changes;
  EXPECT_EQ(contents.Apply(message, &changes).code(), absl::StatusCode::kDataLoss);
  shared.set_geometry(kMeshGeometry);
  shared.set_names(0, "no such");
  EXPECT_EQ(contents.Apply(message, &changes).code(), absl::StatusCode::kDataLoss);
}

TEST(FrameContentsTest, PlacesHaveTheSamplesOfTheirObjects) {
  const FrameContents contents = ContentsOf(WholeFrame());
  const FramePlace& mesh = contents.places().at(kMesh);
  EXPECT_TRUE(mesh.visible);
  EXPECT_THAT(mesh.times, ElementsAre(1, 2));
  ASSERT_EQ(mesh.matrices.size(), 2u);
  EXPECT_EQ(mesh.matrices[1][3][0], 20);
  const FramePlace& light = contents.places().at(kLight);
  EXPECT_FALSE(light.visible);
  EXPECT_THAT(light.times, IsEmpty());
  ASSERT_EQ(light.matrices.size(), 1u);
  EXPECT_EQ(light.matrices[0][3][0], 30);
}

TEST(FrameContentsTest, TheCameraHasSamples) {
  const FrameContents contents = ContentsOf(WholeFrame());
  EXPECT_EQ(contents.camera().path, "/Cam");
  EXPECT_THAT(contents.camera().times, ElementsAre(1, 2));
  ASSERT_EQ(contents.camera().samples.size(), 2u);
  EXPECT_EQ(contents.camera().samples[1].focal_length, 50);
  EXPECT_EQ(contents.camera().samples[1].local_to_world[3][0], 2);
}

TEST(FrameContentsTest, ValuesHaveSamplesAndIndices) {
  const FrameContents contents = ContentsOf(WholeFrame());
  const FrameGeometry& geometry = contents.geometry().at(kMeshGeometry);
  const FrameValue* points = geometry.Find("points");
  ASSERT_NE(points, nullptr);
  EXPECT_THAT(points->times, ElementsAre(1, 2));
  EXPECT_EQ(points->samples[1].Get<Array<Vec3f>>().value()[0], (Vec3f{4, 5, 6}));
  const FrameValue* color = geometry.Find("primvars:color");
  ASSERT_NE(color, nullptr);
  EXPECT_EQ(color->message->interpolation(), "uniform");
  EXPECT_EQ(color->indices[0].Get<Array<int32_t>>().value()[0], 7);
  EXPECT_EQ(geometry.Find("normals"), nullptr);
}

TEST(FrameContentsTest, InstancesHaveTransforms) {
  const FrameContents contents = ContentsOf(WholeFrame());
  const auto instances = contents.geometry().at(kInstancerGeometry).instances;
  ASSERT_NE(instances, nullptr);
  EXPECT_THAT(instances->prototypes, ElementsAre(kMesh, 0u));
  EXPECT_THAT(instances->prototype_indices.span(), ElementsAre(0u, 1u));
  EXPECT_THAT(instances->instance_indices.span(), ElementsAre(0u, 5u));
  EXPECT_TRUE(instances->ids.empty());
  ASSERT_EQ(instances->transforms.size(), 1u);
  EXPECT_EQ(instances->transforms[0][1][3][0], 9);
}

TEST(FrameContentsTest, PartsTakeThePlaceOfThoseWithTheSameIds) {
  FrameContents contents = ContentsOf(WholeFrame());
  v1::ExtractFrameResponse next;
  next.mutable_header()->set_camera_path("/Cam");
  next.mutable_header()->set_settings_path("/Settings");
  AddTransform(kMesh, {}, {11}, &next);
  v1::FrameGeometry* geometry = next.add_geometry();
  geometry->set_id(kMeshGeometry);
  *geometry->add_values() = Points({{7, 8, 9}});
  v1::FrameValue* gone = geometry->add_values();
  gone->set_name("primvars:color");
  gone->set_removed(true);
  const FrameChanges changes = Apply(next, &contents);
  EXPECT_FALSE(changes.complete || changes.camera || changes.settings);
  EXPECT_THAT(changes.prims, IsEmpty());
  EXPECT_THAT(changes.transforms, ElementsAre(kMesh));
  ASSERT_EQ(changes.geometry.size(), 1u);
  EXPECT_THAT(changes.geometry[0].values, ElementsAre("points"));
  EXPECT_THAT(changes.geometry[0].removed, ElementsAre("primvars:color"));

  EXPECT_EQ(contents.places().at(kMesh).matrices[0][3][0], 11);
  EXPECT_TRUE(contents.places().at(kMesh).visible) << "another part";
  EXPECT_EQ(contents.camera().samples.size(), 2u) << "as it was";
  const FrameGeometry& mesh = contents.geometry().at(kMeshGeometry);
  EXPECT_THAT(mesh.Find("points")->times, IsEmpty());
  EXPECT_EQ(mesh.Find("primvars:color"), nullptr);
  EXPECT_NE(mesh.Find("faceVertexCounts"), nullptr);
}

TEST(FrameContentsTest, ACompleteGeometryForgetsItsOtherValues) {
  FrameContents contents = ContentsOf(WholeFrame());
  v1::ExtractFrameResponse next;
  v1::FrameGeometry* geometry = next.add_geometry();
  geometry->set_id(kMeshGeometry);
  geometry->set_complete(true);
  *geometry->add_values() = Points({{7, 8, 9}});
  EXPECT_TRUE(Apply(next, &contents).geometry[0].complete);
  EXPECT_EQ(contents.geometry().at(kMeshGeometry).values.size(), 1u);
}

TEST(FrameContentsTest, ACompleteFrameForgetsAllObjects) {
  FrameContents contents = ContentsOf(WholeFrame());
  v1::ExtractFrameResponse next;
  next.mutable_header()->set_complete(true);
  Apply(next, &contents);
  EXPECT_THAT(contents.prims(), IsEmpty());
  EXPECT_THAT(contents.places(), IsEmpty());
  EXPECT_EQ(contents.camera().path, "");
  EXPECT_EQ(contents.settings(), nullptr);
}

TEST(FrameContentsTest, CameraAndSettingsMayEnd) {
  FrameContents contents = ContentsOf(WholeFrame());
  v1::ExtractFrameResponse next;
  next.mutable_header();
  const FrameChanges changes = Apply(next, &contents);
  EXPECT_TRUE(changes.camera && changes.settings);
  EXPECT_THAT(contents.camera().samples, IsEmpty());
  EXPECT_EQ(contents.settings(), nullptr);
}

TEST(FrameContentsTest, RemovedObjectsAreGone) {
  FrameContents contents = ContentsOf(WholeFrame());
  v1::ExtractFrameResponse next;
  for (const FrameId id : {kMesh, kLight, kSubset, FrameId{1}}) next.add_removed(id);
  EXPECT_THAT(Apply(next, &contents).removed, ElementsAre(kMesh, kLight, kSubset, 1u));
  EXPECT_EQ(contents.prims().size(), 1u);
  EXPECT_THAT(contents.places(), IsEmpty());
  EXPECT_THAT(contents.lights(), IsEmpty());
  EXPECT_THAT(contents.subsets(), IsEmpty());
  EXPECT_THAT(contents.light_sets(), IsEmpty());
}

TEST(FrameContentsTest, WhatNoPrimHasIsDropped) {
  FrameContents contents = ContentsOf(WholeFrame());
  contents.DropUnused();
  EXPECT_EQ(contents.geometry().size(), 2u);
  v1::ExtractFrameResponse next;
  next.add_removed(kMesh);
  Apply(next, &contents);
  contents.DropUnused();
  EXPECT_THAT(contents.geometry(), UnorderedElementsAre(Pair(kInstancerGeometry, ::testing::_)));
  EXPECT_THAT(contents.materials(), IsEmpty());
  EXPECT_THAT(contents.subsets(), IsEmpty());
  EXPECT_THAT(contents.places(), UnorderedElementsAre(Pair(kLight, ::testing::_)));
}

TEST(FrameContentsTest, FailuresNameThePath) {
  v1::ExtractFrameResponse message;
  message.add_error_paths("/Broken");
  message.add_path_errors()->set_code(3);
  message.add_warnings()->set_message("w");
  FrameContents contents;
  const FrameChanges changes = Apply(message, &contents);
  ASSERT_EQ(changes.failures.size(), 1u);
  EXPECT_EQ(changes.failures[0].path, "/Broken");
  EXPECT_EQ(changes.failures[0].status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(changes.warnings[0].message(), "w");
}

TEST(FrameContentsTest, TheCameraMayHaveAnError) {
  v1::ExtractFrameResponse message;
  message.mutable_header()->set_camera_path("/Cam");
  message.mutable_header()->mutable_camera()->add_path_errors()->set_code(5);
  const FrameContents contents = ContentsOf(message);
  EXPECT_EQ(contents.camera().path, "/Cam");
  EXPECT_EQ(contents.camera().status.code(), absl::StatusCode::kNotFound);
}

TEST(FrameContentsTest, AMaterialMayHaveAnError) {
  v1::ExtractFrameResponse message = WholeFrame();
  message.mutable_materials()->mutable_networks(0)->mutable_error()->set_code(8);
  const FrameContents contents = ContentsOf(message);
  EXPECT_EQ(contents.materials().at(kMaterial).status.code(), absl::StatusCode::kResourceExhausted);
  EXPECT_EQ(contents.materials().at(kMaterial).network, nullptr);
}

TEST(FrameContentsTest, ChangesOfMessagesAreJoined) {
  FrameChanges all;
  all.prims = {1};
  all.camera = true;
  FrameChanges next;
  next.prims = {2};
  next.settings = true;
  all.Add(next);
  EXPECT_THAT(all.prims, ElementsAre(1, 2));
  EXPECT_TRUE(all.camera && all.settings && !all.complete);
  next.complete = true;
  all.Add(next);
  EXPECT_THAT(all.prims, ElementsAre(2)) << "the others are gone";
  EXPECT_TRUE(all.complete && !all.camera);
}

TEST(FrameContentsTest, InconsistentMessagesAreErrors) {
  const std::vector<std::pair<std::string, std::function<void(v1::ExtractFrameResponse&)>>> cases =
      {
          {"paths of prims", [](auto& m) { m.mutable_prims()->add_paths("/More"); }},
          {"members", [](auto& m) { m.mutable_prims()->set_pass_members("x"); }},
          {"draw modes", [](auto& m) { m.mutable_prims()->add_draw_modes("cards"); }},
          {"types", [](auto& m) { m.mutable_prims()->set_types(0, 2); }},
          {"visibility", [](auto& m) { m.mutable_visibility()->set_visible("x"); }},
          {"counts", [](auto& m) { m.mutable_transforms()->set_counts(0, 3); }},
          {"many counts", [](auto& m) { m.mutable_transforms()->set_counts(0, UINT32_MAX); }},
          {"times", [](auto& m) { m.mutable_transforms()->add_times(3); }},
          {"matrices",
           [](auto& m) {
             m.mutable_transforms()->mutable_matrices()->set_component_type(
                 v1::COMPONENT_TYPE_FLOAT32);
           }},
          {"paths of materials", [](auto& m) { m.mutable_materials()->add_paths("/More"); }},
          {"networks", [](auto& m) { m.mutable_materials()->clear_networks(); }},
          {"a network", [](auto& m) { m.mutable_materials()->mutable_networks(0)->set_item(1); }},
          {"times of values",
           [](auto& m) { m.mutable_geometry(0)->mutable_values(0)->add_times(3); }},
          {"times of one value",
           [](auto& m) { m.mutable_geometry(0)->mutable_values(1)->add_times(3); }},
          {"indices", [](auto& m) { m.mutable_geometry(0)->mutable_values(2)->add_indices(); }},
          {"prototypes",
           [](auto& m) { m.mutable_geometry(1)->mutable_instances()->clear_prototypes(); }},
          {"transforms",
           [](auto& m) {
             m.mutable_geometry(1)->mutable_instances()->mutable_transforms(0)->clear_data();
           }},
          {"IDs of instances",
           [](auto& m) {
             *m.mutable_geometry(1)->mutable_instances()->mutable_ids() =
                 PackedOf<int64_t>(v1::COMPONENT_TYPE_INT64, {1});
           }},
          {"times of instances",
           [](auto& m) { m.mutable_geometry(1)->mutable_instances()->add_times(1); }},
          {"a subset", [](auto& m) { m.mutable_subsets(0)->mutable_indices()->set_count(3); }},
          {"a camera", [](auto& m) { m.mutable_header()->mutable_camera()->add_f_stop(1); }},
          {"times of a camera",
           [](auto& m) { m.mutable_header()->mutable_camera()->mutable_samples()->add_times(3); }},
          {"an error", [](auto& m) { m.add_path_errors(); }},
      };
  for (const auto& [what, damage] : cases) {
    v1::ExtractFrameResponse message = WholeFrame();
    damage(message);
    FrameChanges changes;
    EXPECT_TRUE(absl::IsDataLoss(FrameContents().Apply(message, &changes))) << what;
  }
}

}  // namespace
}  // namespace stagedoor::sdk

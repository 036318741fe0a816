// The functions of the C interface for frames.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "base/strings.h"
#include "client/sdk/stagedoor.h"
#include "client/sdk/testing/fake_daemon.h"
#include "client/sdk/testing/frame_messages.h"

namespace stagedoor::sdk {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAre;

class CFrameTest : public ::testing::Test {
 protected:
  CFrameTest() {
    int port = 0;
    server_ = daemon_.Serve(&port);
    address_ = Concat("127.0.0.1:", port);
    const char* const addresses[] = {address_.c_str()};
    sd_connect_options options = SD_INIT(sd_connect_options);
    options.addresses = addresses;
    options.address_count = 1;
    EXPECT_EQ(sd_connect(&options, &connection_, nullptr), SD_OK);
    EXPECT_EQ(sd_stage_open(connection_, "/root.usda", nullptr, &stage_, nullptr), SD_OK);
  }
  ~CFrameTest() override {
    sd_frame_destroy(frame_);
    sd_stage_destroy(stage_);
    sd_connection_destroy(connection_);
  }

  // Gets a frame of the messages of `answers`, which later calls continue.
  void Get(std::deque<FakeDaemon::FrameAnswer> answers, const sd_frame_options* options = nullptr) {
    daemon_.ScriptFrames(std::move(answers));
    ASSERT_EQ(sd_frame_create(stage_, options, &frame_, nullptr), SD_OK);
    ASSERT_EQ(Next(), SD_OK);
  }
  sd_code Next() { return sd_frame_next(frame_, 1, nullptr, nullptr, nullptr, nullptr); }

  std::vector<uint64_t> Ids(sd_frame_kind kind) const {
    const uint64_t* ids = nullptr;
    const size_t count = sd_frame_ids(frame_, kind, &ids);
    return {ids, ids + count};
  }
  std::vector<uint64_t> Changed(sd_frame_kind kind) const {
    const uint64_t* ids = nullptr;
    const size_t count = sd_frame_changed(frame_, kind, &ids);
    return {ids, ids + count};
  }

  FakeDaemon daemon_{"daemon"};
  std::unique_ptr<grpc::Server> server_;
  std::string address_;
  sd_connection* connection_ = nullptr;
  sd_stage* stage_ = nullptr;
  sd_frame* frame_ = nullptr;
};

TEST_F(CFrameTest, OptionsArePassedOn) {
  const char* const roots[] = {"/A", "/B"};
  sd_frame_options options = SD_INIT(sd_frame_options);
  options.camera = "/Cam";
  options.render_settings = "/Settings";
  options.shutter_open = -0.25;
  options.shutter_close = 0.25;
  options.shutter_segments = 2;
  options.roots = roots;
  options.root_count = 2;
  options.excluded = roots;
  options.excluded_count = 1;
  options.render_contexts = roots + 1;
  options.render_context_count = 1;
  options.flatten_primvars = 1;
  Get({{{WholeFrame()}}}, &options);
  const v1::ExtractFrameRequest request = daemon_.frames().at(0);
  EXPECT_EQ(request.sample_policy().segments(), 2u);
  EXPECT_EQ(request.selection().camera(), "/Cam");
  EXPECT_EQ(request.selection().render_settings(), "/Settings");
  EXPECT_THAT(request.selection().roots(), ElementsAre("/A", "/B"));
  EXPECT_THAT(request.selection().excluded(), ElementsAre("/A"));
  EXPECT_THAT(request.selection().render_contexts(), ElementsAre("/B"));
  EXPECT_TRUE(request.selection().flatten_primvars());
  EXPECT_FALSE(request.selection().without_invisible());
}

TEST_F(CFrameTest, WithoutOptionsMotionIsNotSampled) {
  Get({{{WholeFrame()}}});
  EXPECT_FALSE(daemon_.frames().at(0).has_sample_policy());
}

TEST_F(CFrameTest, ObjectsAndChangesAreNamed) {
  v1::ExtractFrameResponse next;
  next.mutable_header()->set_snapshot("snapshot");
  next.mutable_header()->set_camera_path("/Cam");
  AddTransform(kMesh, {}, {5}, &next);
  v1::FrameGeometry* geometry = next.add_geometry();
  geometry->set_id(kMeshGeometry);
  *geometry->add_values() = Points({{7, 8, 9}});
  next.add_removed(kSubset);
  next.add_error_paths("/Broken");
  next.add_path_errors()->set_code(3);
  next.set_token("second");
  Get({{{WholeFrame()}}, {{next}}});
  EXPECT_EQ(sd_frame_is_complete(frame_), 1);
  EXPECT_EQ(sd_frame_camera_changed(frame_), 1);
  EXPECT_THAT(Ids(SD_FRAME_PRIM), UnorderedElementsAre(kMesh, kInstancer));
  EXPECT_THAT(Changed(SD_FRAME_PRIM), ElementsAre(kMesh, kInstancer));
  EXPECT_THAT(Changed(SD_FRAME_VISIBILITY), ElementsAre(kMesh, kLight));
  EXPECT_THAT(Ids(SD_FRAME_SUBSET), ElementsAre(kSubset));
  EXPECT_EQ(sd_frame_failure_count(frame_), 0u);

  ASSERT_EQ(Next(), SD_OK);
  EXPECT_EQ(sd_frame_is_complete(frame_), 0);
  EXPECT_EQ(sd_frame_camera_changed(frame_), 0);
  EXPECT_THAT(Changed(SD_FRAME_PRIM), IsEmpty());
  EXPECT_THAT(Changed(SD_FRAME_TRANSFORM), ElementsAre(kMesh));
  EXPECT_THAT(Changed(SD_FRAME_GEOMETRY), ElementsAre(kMeshGeometry));
  EXPECT_THAT(Changed(SD_FRAME_REMOVED), ElementsAre(kSubset));
  EXPECT_THAT(Ids(SD_FRAME_SUBSET), IsEmpty());
  sd_frame_value value;
  EXPECT_EQ(sd_frame_get_value(frame_, kMeshGeometry, "points", &value, nullptr), SD_OK);
  EXPECT_EQ(value.changed, 1);
  EXPECT_EQ(sd_frame_get_value(frame_, kMeshGeometry, "faceVertexCounts", &value, nullptr), SD_OK);
  EXPECT_EQ(value.changed, 0);

  ASSERT_EQ(sd_frame_failure_count(frame_), 1u);
  sd_error* error = nullptr;
  EXPECT_EQ(sd_frame_failure(frame_, 0, &error), SD_INVALID_ARGUMENT);
  EXPECT_STREQ(sd_error_path(error), "/Broken");
  sd_error_destroy(error);
  EXPECT_EQ(sd_frame_failure(frame_, 1, nullptr), SD_OUT_OF_RANGE);
}

TEST_F(CFrameTest, ObjectsAreDescribed) {
  Get({{{WholeFrame()}}});
  sd_frame_info info;
  EXPECT_EQ(sd_frame_get_info(frame_, &info, nullptr), SD_OK);
  EXPECT_STREQ(info.snapshot, "snapshot");
  EXPECT_EQ(info.time, 1);
  EXPECT_EQ(info.prim_count, 2u);
  EXPECT_STREQ(info.up_axis, "Y");

  sd_frame_prim prim;
  EXPECT_EQ(sd_frame_get_prim(frame_, kMesh, &prim, nullptr), SD_OK);
  EXPECT_STREQ(prim.path, "/Mesh");
  EXPECT_STREQ(prim.type_name, "Mesh");
  EXPECT_STREQ(prim.purpose, "render");
  EXPECT_EQ(prim.geometry, kMeshGeometry);
  EXPECT_EQ(prim.material, kMaterial);
  EXPECT_EQ(sd_frame_get_prim(frame_, kLight, &prim, nullptr), SD_NOT_FOUND);

  sd_frame_place place;
  EXPECT_EQ(sd_frame_get_place(frame_, kMesh, &place, nullptr), SD_OK);
  ASSERT_EQ(place.sample_count, 2u);
  EXPECT_EQ(place.visible, 1);
  EXPECT_EQ(place.times[1], 2);
  EXPECT_EQ(place.matrices[16 + 12], 20);
  EXPECT_EQ(sd_frame_get_place(frame_, kLight, &place, nullptr), SD_OK);
  EXPECT_EQ(place.times, nullptr);
  EXPECT_EQ(place.visible, 0);

  sd_frame_subset subset;
  EXPECT_EQ(sd_frame_get_subset(frame_, kSubset, &subset, nullptr), SD_OK);
  EXPECT_THAT(std::span(subset.indices, subset.index_count), ElementsAre(3, 4));
  EXPECT_EQ(subset.prim, kMesh);

  sd_frame_light light;
  EXPECT_EQ(sd_frame_get_light(frame_, kLight, &light, nullptr), SD_OK);
  EXPECT_STREQ(light.type_name, "SphereLight");
  EXPECT_THAT(std::span(light.filters, light.filter_count), ElementsAre(kLight + 1));
  EXPECT_EQ(light.portal_count, 0u);
  const uint64_t* lights = nullptr;
  size_t count = 0;
  EXPECT_EQ(sd_frame_get_light_set(frame_, 1, &lights, &count, nullptr), SD_OK);
  EXPECT_THAT(std::span(lights, count), ElementsAre(kLight));
}

TEST_F(CFrameTest, ValuesHaveSamples) {
  Get({{{WholeFrame()}}});
  EXPECT_STREQ(sd_frame_value_name(frame_, kMeshGeometry, 0), "faceVertexCounts");
  EXPECT_STREQ(sd_frame_value_name(frame_, kMeshGeometry, 2), "primvars:color");
  EXPECT_EQ(sd_frame_value_name(frame_, kMeshGeometry, 3), nullptr);
  EXPECT_STREQ(sd_frame_value_name(frame_, kLight, 0), "inputs:intensity");
  EXPECT_EQ(sd_frame_value_name(frame_, kMesh, 0), nullptr);

  sd_frame_value value;
  EXPECT_EQ(sd_frame_get_value(frame_, kMeshGeometry, "points", &value, nullptr), SD_OK);
  EXPECT_STREQ(value.interpolation, "vertex");
  EXPECT_EQ(value.sample_count, 2u);
  EXPECT_EQ(value.times[1], 2);
  EXPECT_EQ(value.indexed, 0);
  EXPECT_EQ(value.changed, 1);
  sd_value sample;
  EXPECT_EQ(sd_frame_get_sample(frame_, kMeshGeometry, "points", 1, &sample, nullptr), SD_OK);
  EXPECT_STREQ(sample.type_name, "point3f[]");
  EXPECT_EQ(static_cast<const float*>(sample.data)[2], 6);
  EXPECT_EQ(sd_frame_get_sample(frame_, kMeshGeometry, "points", 2, &sample, nullptr),
            SD_OUT_OF_RANGE);
  EXPECT_EQ(sd_frame_get_sample(frame_, kMeshGeometry, "normals", 0, &sample, nullptr),
            SD_NOT_FOUND);
  EXPECT_EQ(sd_frame_get_indices(frame_, kMeshGeometry, "points", 0, &sample, nullptr),
            SD_OUT_OF_RANGE);
  EXPECT_EQ(sd_frame_get_indices(frame_, kMeshGeometry, "primvars:color", 0, &sample, nullptr),
            SD_OK);
  EXPECT_EQ(static_cast<const int32_t*>(sample.data)[0], 7);
  EXPECT_EQ(sd_frame_get_sample(frame_, kLight, "inputs:intensity", 0, &sample, nullptr), SD_OK);
  EXPECT_EQ(sample.number, 2);
  EXPECT_EQ(sd_frame_sample_text(frame_, kLight, "inputs:intensity", 0, 0), nullptr);
}

TEST_F(CFrameTest, InstancesHaveTransforms) {
  Get({{{WholeFrame()}}});
  sd_frame_instances instances;
  EXPECT_EQ(sd_frame_get_instances(frame_, kInstancerGeometry, &instances, nullptr), SD_OK);
  EXPECT_THAT(std::span(instances.prototypes, instances.prototype_count), ElementsAre(kMesh, 0u));
  EXPECT_THAT(std::span(instances.instance_indices, instances.instance_count), ElementsAre(0u, 5u));
  EXPECT_EQ(instances.ids, nullptr);
  EXPECT_EQ(instances.times, nullptr);
  const double* matrices = nullptr;
  EXPECT_EQ(sd_frame_get_instance_transforms(frame_, kInstancerGeometry, 0, &matrices, nullptr),
            SD_OK);
  EXPECT_EQ(matrices[16 + 12], 9);
  EXPECT_EQ(sd_frame_get_instance_transforms(frame_, kInstancerGeometry, 1, &matrices, nullptr),
            SD_OUT_OF_RANGE);
  EXPECT_EQ(sd_frame_get_instances(frame_, kMeshGeometry, &instances, nullptr), SD_NOT_FOUND);
}

TEST_F(CFrameTest, MaterialsHaveNodesWithInputs) {
  Get({{{WholeFrame()}}});
  sd_frame_material material;
  EXPECT_EQ(sd_frame_get_material(frame_, kMaterial, &material, nullptr), SD_OK);
  EXPECT_STREQ(material.path, "/Material");
  EXPECT_EQ(material.surface, 0u);
  EXPECT_EQ(material.volume, SIZE_MAX);
  sd_frame_node node;
  EXPECT_EQ(sd_frame_get_node(frame_, kMaterial, material.surface, &node, nullptr), SD_OK);
  EXPECT_STREQ(node.id, "UsdPreviewSurface");
  EXPECT_EQ(sd_frame_get_node(frame_, kMaterial, 1, &node, nullptr), SD_OUT_OF_RANGE);
  sd_frame_input input;
  EXPECT_EQ(sd_frame_get_input(frame_, kMaterial, 0, 0, &input, nullptr), SD_OK);
  EXPECT_STREQ(input.name, "file");
  EXPECT_STREQ(input.value.type_name, "asset");
  EXPECT_EQ(input.source_node, SIZE_MAX);
  EXPECT_STREQ(sd_frame_input_text(frame_, kMaterial, 0, 0, 0), "wood.png");
  EXPECT_EQ(sd_frame_input_text(frame_, kMaterial, 0, 1, 0), nullptr);
}

TEST_F(CFrameTest, TheCameraHasSamples) {
  Get({{{WholeFrame()}}});
  sd_frame_camera camera;
  EXPECT_EQ(sd_frame_get_camera(frame_, 1, &camera, nullptr), SD_OK);
  EXPECT_STREQ(camera.path, "/Cam");
  EXPECT_EQ(camera.sample_count, 2u);
  EXPECT_EQ(camera.time, 2);
  EXPECT_EQ(camera.local_to_world[12], 2);
  EXPECT_EQ(camera.view_matrix[12], -2);
  EXPECT_EQ(camera.window[0], -1);
  EXPECT_EQ(camera.clipping_range[1], 20);
  EXPECT_EQ(camera.focal_length, 50);
  EXPECT_EQ(camera.exposure_scale, 1.5);
  EXPECT_EQ(sd_frame_get_camera(frame_, 2, &camera, nullptr), SD_OUT_OF_RANGE);
}

TEST_F(CFrameTest, WithoutACameraThereIsNone) {
  v1::ExtractFrameResponse message = WholeFrame();
  message.mutable_header()->clear_camera();
  message.mutable_header()->clear_camera_path();
  message.mutable_header()->clear_time();
  Get({{{message}}});
  sd_frame_camera camera;
  EXPECT_EQ(sd_frame_get_camera(frame_, 0, &camera, nullptr), SD_NOT_FOUND);
  sd_frame_info info;
  EXPECT_EQ(sd_frame_get_info(frame_, &info, nullptr), SD_OK);
  EXPECT_TRUE(std::isnan(info.time));
}

TEST_F(CFrameTest, CallbacksSeeEachMessage) {
  v1::ExtractFrameResponse first = WholeFrame();
  first.clear_token();
  v1::ExtractFrameResponse last;
  last.set_token("token");
  daemon_.ScriptFrames({{{first, last}}, {{first, last}}});
  ASSERT_EQ(sd_frame_create(stage_, nullptr, &frame_, nullptr), SD_OK);
  std::vector<size_t> prims;
  const sd_frame_callback note = [](sd_frame* frame, void* data) {
    static_cast<std::vector<size_t>*>(data)->push_back(
        sd_frame_changed(frame, SD_FRAME_PRIM, nullptr));
    return 0;
  };
  EXPECT_EQ(sd_frame_next(frame_, 1, note, &prims, nullptr, nullptr), SD_OK);
  EXPECT_THAT(prims, ElementsAre(2, 0));
  EXPECT_EQ(sd_frame_changed(frame_, SD_FRAME_PRIM, nullptr), 2u) << "of the whole call";
  const sd_frame_callback refuse = [](sd_frame*, void*) { return 1; };
  EXPECT_EQ(sd_frame_next(frame_, 1, refuse, nullptr, nullptr, nullptr), SD_CANCELLED);
  EXPECT_EQ(sd_frame_changed(frame_, SD_FRAME_PRIM, nullptr), 0u);
}

TEST_F(CFrameTest, AnotherThreadMayCancelACall) {
  daemon_.ScriptFrames({{{WholeFrame()}, grpc::Status::OK, /*hangs=*/true}});
  ASSERT_EQ(sd_frame_create(stage_, nullptr, &frame_, nullptr), SD_OK);
  sd_frame_cancel(frame_);  // there is nothing to cancel
  std::thread other;
  const sd_frame_callback cancel = [](sd_frame* frame, void* data) {
    *static_cast<std::thread*>(data) = std::thread([frame] { sd_frame_cancel(frame); });
    return 0;
  };
  EXPECT_EQ(sd_frame_next(frame_, 1, cancel, &other, nullptr, nullptr), SD_CANCELLED);
  other.join();
}

TEST_F(CFrameTest, OneCallAtATime) {
  daemon_.ScriptFrames({{{WholeFrame()}}});
  ASSERT_EQ(sd_frame_create(stage_, nullptr, &frame_, nullptr), SD_OK);
  const sd_frame_callback again = [](sd_frame* frame, void* data) {
    *static_cast<sd_code*>(data) = sd_frame_next(frame, 2, nullptr, nullptr, nullptr, nullptr);
    return 0;
  };
  sd_code second = SD_OK;
  EXPECT_EQ(sd_frame_next(frame_, 1, again, &second, nullptr, nullptr), SD_OK);
  EXPECT_EQ(second, SD_FAILED_PRECONDITION);
}

TEST_F(CFrameTest, FingerprintsAre32Bytes) {
  daemon_.fingerprint_of = [](const auto&) { return std::string(32, 'f'); };
  ASSERT_EQ(sd_frame_create(stage_, nullptr, &frame_, nullptr), SD_OK);
  uint8_t fingerprint[32] = {};
  EXPECT_EQ(sd_frame_fingerprint(frame_, 1, nullptr, fingerprint, nullptr), SD_OK);
  EXPECT_EQ(fingerprint[31], 'f');
}

TEST_F(CFrameTest, NullIsAnError) {
  sd_frame_prim prim;
  EXPECT_EQ(sd_frame_create(nullptr, nullptr, &frame_, nullptr), SD_INVALID_ARGUMENT);
  EXPECT_EQ(sd_frame_next(nullptr, 1, nullptr, nullptr, nullptr, nullptr), SD_INVALID_ARGUMENT);
  EXPECT_EQ(sd_frame_get_prim(nullptr, 1, &prim, nullptr), SD_INVALID_ARGUMENT);
  EXPECT_EQ(sd_frame_value_name(nullptr, 1, 0), nullptr);
  EXPECT_EQ(sd_frame_ids(nullptr, SD_FRAME_PRIM, nullptr), 0u);
  sd_frame_cancel(nullptr);
}

}  // namespace
}  // namespace stagedoor::sdk

#ifndef STAGEDOOR_CLIENT_SDK_TESTING_FRAME_MESSAGES_H_
#define STAGEDOOR_CLIENT_SDK_TESTING_FRAME_MESSAGES_H_

#include <string>
#include <utility>
#include <vector>

#include "client/sdk/frame_objects.h"
#include "stagedoor/v1/frame.pb.h"

namespace stagedoor::sdk {

// Messages about a frame with one object of each kind.

inline constexpr FrameId kMesh = 10;
inline constexpr FrameId kInstancer = 11;
inline constexpr FrameId kMeshGeometry = 20;
inline constexpr FrameId kInstancerGeometry = 21;
inline constexpr FrameId kMaterial = 30;
inline constexpr FrameId kLight = 40;
inline constexpr FrameId kSubset = 50;

template <typename T>
v1::PackedValues PackedOf(v1::ComponentType type, const std::vector<T>& elements) {
  v1::PackedValues packed;
  packed.set_component_type(type);
  packed.set_rows(1);
  packed.set_columns(1);
  packed.set_count(elements.size());
  packed.set_data(
      std::string(reinterpret_cast<const char*>(elements.data()), elements.size() * sizeof(T)));
  return packed;
}

// A matrix for each offset along x.
inline v1::PackedValues Translations(const std::vector<double>& offsets) {
  std::vector<Matrix4d> matrices;
  for (const double x : offsets) {
    matrices.push_back({{{1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 0}, {x, 0, 0, 1}}});
  }
  v1::PackedValues packed = PackedOf(v1::COMPONENT_TYPE_FLOAT64, matrices);
  packed.set_rows(4);
  packed.set_columns(4);
  return packed;
}

// "points" with a sample of one point for each of `points`, at the times 1, 2 and so on.
inline v1::FrameValue Points(const std::vector<Vec3f>& points) {
  v1::FrameValue value;
  value.set_name("points");
  value.set_type_name("point3f[]");
  value.set_interpolation("vertex");
  for (const Vec3f& point : points) {
    if (points.size() > 1) value.add_times(value.times_size() + 1);
    v1::PackedValues* packed = value.add_values()->mutable_array_value();
    *packed = PackedOf<Vec3f>(v1::COMPONENT_TYPE_FLOAT32, {point});
    packed->set_columns(3);
  }
  return value;
}

// Adds the transform of an object, with a sample for each offset along x.
inline void AddTransform(FrameId id, const std::vector<double>& times,
                         const std::vector<double>& offsets, v1::ExtractFrameResponse* message) {
  v1::FrameTransforms* transforms = message->mutable_transforms();
  transforms->add_ids(id);
  transforms->add_counts(static_cast<uint32_t>(offsets.size()));
  transforms->mutable_times()->Add(times.begin(), times.end());
  v1::PackedValues matrices = Translations(offsets);
  matrices.set_count(matrices.count() + transforms->matrices().count());
  matrices.set_data(transforms->matrices().data() + matrices.data());
  *transforms->mutable_matrices() = std::move(matrices);
}

inline void AddPrim(FrameId id, const std::string& path, const std::string& type_name,
                    FrameId geometry, FrameId material, v1::ExtractFrameResponse* message) {
  v1::FramePrims* prims = message->mutable_prims();
  prims->add_ids(id);
  prims->add_paths(path);
  prims->add_types(static_cast<uint32_t>(prims->type_names_size()));
  prims->add_type_names(type_name);
  prims->add_purposes(v1::PURPOSE_RENDER);
  prims->add_materials(material);
  prims->add_light_sets(1);
  prims->add_shadow_sets(1);
  prims->add_geometry(geometry);
  prims->add_prototypes(0);
}

inline v1::FrameHeader Header() {
  v1::FrameHeader header;
  header.set_snapshot("snapshot");
  header.set_complete(true);
  header.set_time(1);
  header.set_up_axis("Y");
  header.set_prim_count(2);
  header.set_settings_path("/Settings");
  header.mutable_settings()->set_path("/Settings");
  header.set_camera_path("/Cam");
  v1::ComputeCamerasResponse* camera = header.mutable_camera();
  for (const float focal_length : {35.f, 50.f}) {
    camera->add_focal_length(focal_length);
    camera->add_f_stop(8);
    camera->add_focus_distance(4);
    camera->add_shutter_open(0);
    camera->add_shutter_close(0.5);
    camera->add_linear_exposure_scale(1.5);
  }
  *camera->mutable_local_to_world() = Translations({1, 2});
  *camera->mutable_view_matrix() = Translations({-1, -2});
  *camera->mutable_projection_matrix() = Translations({0, 0});
  *camera->mutable_window() =
      PackedOf<Vec4d>(v1::COMPONENT_TYPE_FLOAT64, {{-1, -2, 1, 2}, {-1, -2, 1, 2}});
  *camera->mutable_clipping_range() =
      PackedOf<Vec2f>(v1::COMPONENT_TYPE_FLOAT32, {{1, 10}, {1, 20}});
  camera->mutable_samples()->add_times(1);
  camera->mutable_samples()->add_times(2);
  return header;
}

inline void AddGeometry(v1::ExtractFrameResponse* message) {
  v1::FrameGeometry* mesh = message->add_geometry();
  mesh->set_id(kMeshGeometry);
  mesh->set_complete(true);
  *mesh->add_values() = Points({{1, 2, 3}, {4, 5, 6}});
  v1::FrameValue* counts = mesh->add_values();
  counts->set_name("faceVertexCounts");
  counts->set_type_name("int[]");
  *counts->add_values()->mutable_array_value() = PackedOf<int32_t>(v1::COMPONENT_TYPE_INT32, {3});
  v1::FrameValue* color = mesh->add_values();
  color->set_name("primvars:color");
  color->set_type_name("float[]");
  color->set_interpolation("uniform");
  color->set_element_size(1);
  *color->add_values()->mutable_array_value() = PackedOf<float>(v1::COMPONENT_TYPE_FLOAT32, {0.5f});
  *color->add_indices()->mutable_array_value() = PackedOf<int32_t>(v1::COMPONENT_TYPE_INT32, {7});

  v1::FrameGeometry* instancer = message->add_geometry();
  instancer->set_id(kInstancerGeometry);
  instancer->set_complete(true);
  v1::FrameInstances* instances = instancer->mutable_instances();
  instances->add_prototypes(kMesh);
  instances->add_prototypes(0);
  *instances->mutable_prototype_indices() = PackedOf<uint32_t>(v1::COMPONENT_TYPE_UINT32, {0, 1});
  *instances->mutable_instance_indices() = PackedOf<uint32_t>(v1::COMPONENT_TYPE_UINT32, {0, 5});
  *instances->add_transforms() = Translations({8, 9});
}

// A complete frame in one message, with a token.
inline v1::ExtractFrameResponse WholeFrame() {
  v1::ExtractFrameResponse message;
  *message.mutable_header() = Header();
  message.mutable_materials()->add_ids(kMaterial);
  message.mutable_materials()->add_paths("/Material");
  v1::MaterialNetwork* network = message.mutable_materials()->add_networks();
  network->add_terminals()->set_name("surface");
  v1::ShaderNode* node = network->add_nodes();
  node->set_path("/Material/Surface");
  node->set_id("UsdPreviewSurface");
  v1::ShaderPort* file = node->add_inputs();
  file->set_name("file");
  file->set_type_name("asset");
  file->add_values()->mutable_asset_path_value()->set_authored("wood.png");
  v1::FrameLight* light = message.add_lights();
  light->set_id(kLight);
  light->set_path("/Light");
  light->set_type_name("SphereLight");
  light->add_filters(kLight + 1);
  v1::FrameValue* intensity = light->add_values();
  intensity->set_name("inputs:intensity");
  intensity->set_type_name("float");
  intensity->add_values()->set_float_value(2);
  v1::FrameLightSet* all = message.add_light_sets();
  all->set_id(1);
  all->add_lights(kLight);
  AddPrim(kMesh, "/Mesh", "Mesh", kMeshGeometry, kMaterial, &message);
  AddPrim(kInstancer, "/Instancer", "PointInstancer", kInstancerGeometry, 0, &message);
  message.mutable_visibility()->add_ids(kMesh);
  message.mutable_visibility()->add_ids(kLight);
  message.mutable_visibility()->set_visible(std::string("\1\0", 2));
  AddTransform(kMesh, {1, 2}, {10, 20}, &message);
  AddTransform(kLight, {}, {30}, &message);
  AddGeometry(&message);
  v1::FrameSubset* subset = message.add_subsets();
  subset->set_id(kSubset);
  subset->set_prim(kMesh);
  subset->set_path("/Mesh/Subset");
  *subset->mutable_indices() = PackedOf<int32_t>(v1::COMPONENT_TYPE_INT32, {3, 4});
  message.set_token("token");
  return message;
}

}  // namespace stagedoor::sdk

#endif  // STAGEDOOR_CLIENT_SDK_TESTING_FRAME_MESSAGES_H_

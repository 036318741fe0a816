// The functions of the C interface that describe the objects of frames.
#include <algorithm>
#include <cstdint>

#include "base/status.h"
#include "base/status_macros.h"
#include "client/sdk/c_objects.h"

namespace stagedoor::sdk {
namespace {

// The object of a kind; SD_NOT_FOUND if there is none.
template <typename T>
absl::StatusOr<const T*> ObjectIn(const FrameContents::Objects<T>& objects, uint64_t id,
                                  const char* kind) {
  const T* const found = FrameContents::Find(objects, id);
  if (found != nullptr) return found;
  return NotFoundError("the frame has no ", kind, " with the ID ", id);
}

absl::Status CheckIndex(size_t index, size_t count, const char* what) {
  if (index < count) return absl::OkStatus();
  return absl::OutOfRangeError(Concat("there are only ", count, " ", what));
}

const double* TimesIn(const std::vector<double>& times) {
  return times.empty() ? nullptr : times.data();
}

const double* NumbersIn(std::span<const Matrix4d> matrices) {
  return matrices.empty() ? nullptr : matrices.front().front().data();
}

void CopyMatrix(const Matrix4d& matrix, double* to) {
  for (const auto& row : matrix) to = std::copy(row.begin(), row.end(), to);
}

const char* NameOf(v1::Purpose purpose) {
  switch (purpose) {
    case v1::PURPOSE_RENDER:
      return "render";
    case v1::PURPOSE_PROXY:
      return "proxy";
    case v1::PURPOSE_GUIDE:
      return "guide";
    default:
      return "default";
  }
}

// The values of a geometry or a light.
absl::StatusOr<const std::unordered_map<std::string, FrameValue>*> ValuesOf(const sd_frame& frame,
                                                                            uint64_t id) {
  const FrameContents& contents = frame.frame.contents();
  if (const auto* light = FrameContents::Find(contents.lights(), id)) return &light->values;
  SD_ASSIGN_OR_RETURN(const FrameGeometry* geometry,
                      ObjectIn(contents.geometry(), id, "geometry or light"));
  return &geometry->values;
}

absl::StatusOr<const FrameValue*> ValueIn(const sd_frame* frame, uint64_t id, const char* name) {
  if (frame == nullptr) return InvalidArgumentError("the argument 'frame' is NULL");
  if (name == nullptr) return InvalidArgumentError("the argument 'name' is NULL");
  SD_ASSIGN_OR_RETURN(const auto* values, ValuesOf(*frame, id));
  const auto found = values->find(name);
  if (found == values->end()) {
    return NotFoundError("the object with the ID ", id, " has no value ", Quoted(name));
  }
  return &found->second;
}

// Describes a sample of values or indices.
absl::Status FillSample(const std::vector<Value>& samples, size_t sample, sd_value* out) {
  SD_RETURN_IF_ERROR(CheckIndex(sample, samples.size(), "samples"));
  return FillValue(samples[sample], out);
}

// Whether a value is among those that the last call has brought.
bool IsChanged(const sd_frame& frame, uint64_t id, const std::string& name) {
  const std::vector<FrameId>& lights = frame.changes.lights;
  if (std::find(lights.begin(), lights.end(), id) != lights.end()) return true;
  MutexLock lock(frame.mu);
  if (!frame.changed_values.has_value()) {
    auto& changed = frame.changed_values.emplace();
    for (const FrameChanges::Geometry& geometry : frame.changes.geometry) {
      changed[geometry.id].insert(geometry.values.begin(), geometry.values.end());
    }
  }
  const auto found = frame.changed_values->find(id);
  return found != frame.changed_values->end() && found->second.contains(name);
}

absl::StatusOr<const FrameInstances*> InstancesOf(const sd_frame* frame, uint64_t id) {
  if (frame == nullptr) return InvalidArgumentError("the argument 'frame' is NULL");
  SD_ASSIGN_OR_RETURN(const FrameGeometry* geometry,
                      ObjectIn(frame->frame.contents().geometry(), id, "geometry"));
  if (geometry->instances != nullptr) return geometry->instances.get();
  return NotFoundError("the geometry with the ID ", id, " is not that of a point instancer");
}

absl::Status FillCamera(const FrameCamera& camera, size_t sample, sd_frame_camera* out) {
  if (camera.path.empty()) return NotFoundError("the frame has no camera; set options.camera");
  SD_RETURN_IF_ERROR(camera.status);
  SD_RETURN_IF_ERROR(CheckIndex(sample, camera.samples.size(), "samples of the camera"));
  const Camera& from = camera.samples[sample];
  *out = {};
  out->path = camera.path.c_str();
  out->sample_count = camera.samples.size();
  out->time = camera.times.empty() ? kNoTime : camera.times[sample];
  CopyMatrix(from.local_to_world, out->local_to_world);
  CopyMatrix(from.view_matrix, out->view_matrix);
  CopyMatrix(from.projection_matrix, out->projection_matrix);
  std::copy(from.window.begin(), from.window.end(), out->window);
  std::copy(from.clipping_range.begin(), from.clipping_range.end(), out->clipping_range);
  out->focal_length = from.focal_length;
  out->f_stop = from.f_stop;
  out->focus_distance = from.focus_distance;
  const auto& scales = from.message->linear_exposure_scale();
  const int i = static_cast<int>(sample);
  out->exposure_scale = i < scales.size() ? scales[i] : 1;
  return absl::OkStatus();
}

// ------------------------------------------------------------------------------------- materials

absl::StatusOr<const FrameMaterial*> MaterialOf(const sd_frame* frame, uint64_t id) {
  if (frame == nullptr) return InvalidArgumentError("the argument 'frame' is NULL");
  SD_ASSIGN_OR_RETURN(const FrameMaterial* material,
                      ObjectIn(frame->frame.contents().materials(), id, "material"));
  SD_RETURN_IF_ERROR(material->status);
  return material;
}

// The node of a terminal, such as "surface"; SIZE_MAX if there is none.
size_t TerminalOf(const v1::MaterialNetwork& network, std::string_view name) {
  for (const v1::MaterialTerminal& terminal : network.terminals()) {
    if (terminal.name() == name) return terminal.source().node();
  }
  return SIZE_MAX;
}

absl::StatusOr<const v1::ShaderNode*> NodeOf(const sd_frame* frame, uint64_t id, size_t node) {
  SD_ASSIGN_OR_RETURN(const FrameMaterial* material, MaterialOf(frame, id));
  const auto& nodes = material->network->nodes();
  SD_RETURN_IF_ERROR(CheckIndex(node, static_cast<size_t>(nodes.size()), "nodes"));
  return &nodes[static_cast<int>(node)];
}

absl::StatusOr<const v1::ShaderPort*> InputOf(const sd_frame* frame, uint64_t id, size_t node,
                                              size_t input) {
  SD_ASSIGN_OR_RETURN(const v1::ShaderNode* of, NodeOf(frame, id, node));
  SD_RETURN_IF_ERROR(CheckIndex(input, static_cast<size_t>(of->inputs_size()), "inputs"));
  return &of->inputs(static_cast<int>(input));
}

// The value of an input, which the frame keeps in memory.
Value ValueOf(const v1::ShaderPort& port) {
  if (port.values_size() == 0) return {};
  return {port.type_name(),
          std::shared_ptr<const v1::Value>(std::shared_ptr<const void>(), &port.values(0))};
}

absl::Status FillInput(const v1::ShaderPort& port, sd_frame_input* out) {
  *out = {};
  SD_RETURN_IF_ERROR(FillValue(ValueOf(port), &out->value));
  out->value.type_name = port.values_size() == 0 ? "" : port.type_name().c_str();
  out->name = port.name().c_str();
  out->source_node = SIZE_MAX;
  out->source_output = "";
  if (port.connections_size() > 0) {
    out->source_node = port.connections(0).node();
    out->source_output = port.connections(0).name().c_str();
  }
  return absl::OkStatus();
}

}  // namespace
}  // namespace stagedoor::sdk

namespace sdk = stagedoor::sdk;

sd_code sd_frame_get_info(const sd_frame* frame, sd_frame_info* out, sd_error** error) {
  if (frame == nullptr) return sdk::ReportNull("frame", error);
  if (out == nullptr) return sdk::ReportNull("out", error);
  const stagedoor::v1::FrameHeader& header = frame->frame->header();
  *out = {.snapshot = header.snapshot().c_str(),
          .time = header.has_time() ? header.time() : sdk::kNoTime,
          .prim_count = header.prim_count(),
          .meters_per_unit = header.meters_per_unit(),
          .time_codes_per_second = header.time_codes_per_second(),
          .up_axis = header.up_axis().c_str()};
  return SD_OK;
}

sd_code sd_frame_get_camera(const sd_frame* frame, size_t sample, sd_frame_camera* out,
                            sd_error** error) {
  if (frame == nullptr) return sdk::ReportNull("frame", error);
  if (out == nullptr) return sdk::ReportNull("out", error);
  return sdk::Report(sdk::FillCamera(frame->frame->camera(), sample, out), error);
}

sd_code sd_frame_get_prim(const sd_frame* frame, uint64_t prim, sd_frame_prim* out,
                          sd_error** error) {
  if (frame == nullptr) return sdk::ReportNull("frame", error);
  if (out == nullptr) return sdk::ReportNull("out", error);
  const auto found = sdk::ObjectIn(frame->frame->prims(), prim, "prim");
  if (!found.ok()) return sdk::Report(found.status(), error);
  const sdk::FramePrim& from = **found;
  *out = {.path = from.path.c_str(),
          .type_name = from.type_name.c_str(),
          .purpose = sdk::NameOf(from.purpose),
          .draw_mode = from.draw_mode.c_str(),
          .material = from.material,
          .light_set = from.light_set,
          .shadow_set = from.shadow_set,
          .geometry = from.geometry,
          .prototype = from.prototype};
  return SD_OK;
}

sd_code sd_frame_get_place(const sd_frame* frame, uint64_t prim_or_light, sd_frame_place* out,
                           sd_error** error) {
  if (frame == nullptr) return sdk::ReportNull("frame", error);
  if (out == nullptr) return sdk::ReportNull("out", error);
  const auto found = sdk::ObjectIn(frame->frame->places(), prim_or_light, "prim or light");
  if (!found.ok()) return sdk::Report(found.status(), error);
  const sdk::FramePlace& from = **found;
  *out = {.visible = from.visible ? 1 : 0,
          .sample_count = from.matrices.size(),
          .times = sdk::TimesIn(from.times),
          .matrices = sdk::NumbersIn(from.matrices)};
  return SD_OK;
}

const char* sd_frame_value_name(const sd_frame* frame, uint64_t object, size_t index) {
  if (frame == nullptr) return nullptr;
  const auto values = sdk::ValuesOf(*frame, object);
  if (!values.ok() || index >= (*values)->size()) return nullptr;
  std::vector<const std::string*> names;
  for (const auto& [name, value] : **values) names.push_back(&name);
  const auto at = names.begin() + static_cast<std::ptrdiff_t>(index);
  std::nth_element(names.begin(), at, names.end(),
                   [](const std::string* a, const std::string* b) { return *a < *b; });
  return (*at)->c_str();
}

sd_code sd_frame_get_value(const sd_frame* frame, uint64_t object, const char* name,
                           sd_frame_value* out, sd_error** error) {
  if (out == nullptr) return sdk::ReportNull("out", error);
  const auto found = sdk::ValueIn(frame, object, name);
  if (!found.ok()) return sdk::Report(found.status(), error);
  const sdk::FrameValue& from = **found;
  *out = {.interpolation = from.message->interpolation().c_str(),
          .element_size = from.message->element_size(),
          .indexed = from.indices.empty() ? 0 : 1,
          .changed = sdk::IsChanged(*frame, object, name) ? 1 : 0,
          .sample_count = from.samples.size(),
          .times = sdk::TimesIn(from.times)};
  return SD_OK;
}

sd_code sd_frame_get_sample(const sd_frame* frame, uint64_t object, const char* name, size_t sample,
                            sd_value* out, sd_error** error) {
  if (out == nullptr) return sdk::ReportNull("out", error);
  const auto found = sdk::ValueIn(frame, object, name);
  if (!found.ok()) return sdk::Report(found.status(), error);
  return sdk::Report(sdk::FillSample((*found)->samples, sample, out), error);
}

sd_code sd_frame_get_indices(const sd_frame* frame, uint64_t object, const char* name,
                             size_t sample, sd_value* out, sd_error** error) {
  if (out == nullptr) return sdk::ReportNull("out", error);
  const auto found = sdk::ValueIn(frame, object, name);
  if (!found.ok()) return sdk::Report(found.status(), error);
  return sdk::Report(sdk::FillSample((*found)->indices, sample, out), error);
}

const char* sd_frame_sample_text(const sd_frame* frame, uint64_t object, const char* name,
                                 size_t sample, size_t index) {
  const auto found = sdk::ValueIn(frame, object, name);
  if (!found.ok() || sample >= (*found)->samples.size()) return nullptr;
  return sdk::TextAt((*found)->samples[sample], index);
}

sd_code sd_frame_get_instances(const sd_frame* frame, uint64_t geometry, sd_frame_instances* out,
                               sd_error** error) {
  if (out == nullptr) return sdk::ReportNull("out", error);
  const auto found = sdk::InstancesOf(frame, geometry);
  if (!found.ok()) return sdk::Report(found.status(), error);
  const sdk::FrameInstances& from = **found;
  *out = {.prototype_count = from.prototypes.size(),
          .prototypes = from.prototypes.data(),
          .instance_count = from.prototype_indices.size(),
          .prototype_indices = from.prototype_indices.data(),
          .instance_indices = from.instance_indices.data(),
          .ids = from.ids.data(),
          .sample_count = from.transforms.size(),
          .times = sdk::TimesIn(from.times)};
  return SD_OK;
}

sd_code sd_frame_get_instance_transforms(const sd_frame* frame, uint64_t geometry, size_t sample,
                                         const double** out, sd_error** error) {
  if (out == nullptr) return sdk::ReportNull("out", error);
  const auto found = sdk::InstancesOf(frame, geometry);
  if (!found.ok()) return sdk::Report(found.status(), error);
  const auto& transforms = (*found)->transforms;
  const absl::Status status = sdk::CheckIndex(sample, transforms.size(), "samples");
  if (status.ok()) *out = sdk::NumbersIn(transforms[sample]);
  return sdk::Report(status, error);
}

sd_code sd_frame_get_subset(const sd_frame* frame, uint64_t subset, sd_frame_subset* out,
                            sd_error** error) {
  if (frame == nullptr) return sdk::ReportNull("frame", error);
  if (out == nullptr) return sdk::ReportNull("out", error);
  const auto found = sdk::ObjectIn(frame->frame->subsets(), subset, "subset");
  if (!found.ok()) return sdk::Report(found.status(), error);
  const sdk::FrameSubset& from = **found;
  *out = {.path = from.message->path().c_str(),
          .element_type = from.message->element_type().c_str(),
          .family = from.message->family_name().c_str(),
          .prim = from.prim,
          .material = from.material,
          .indices = from.indices.data(),
          .index_count = from.indices.size()};
  return SD_OK;
}

sd_code sd_frame_get_light(const sd_frame* frame, uint64_t light, sd_frame_light* out,
                           sd_error** error) {
  if (frame == nullptr) return sdk::ReportNull("frame", error);
  if (out == nullptr) return sdk::ReportNull("out", error);
  const auto found = sdk::ObjectIn(frame->frame->lights(), light, "light");
  if (!found.ok()) return sdk::Report(found.status(), error);
  const stagedoor::v1::FrameLight& from = *(*found)->message;
  *out = {.path = from.path().c_str(),
          .type_name = from.type_name().c_str(),
          .shader_id = from.shader_id().c_str(),
          .is_filter = from.is_filter() ? 1 : 0,
          .material = from.material(),
          .prim = from.prim(),
          .filters = from.filters().data(),
          .filter_count = static_cast<size_t>(from.filters_size()),
          .portals = from.portals().data(),
          .portal_count = static_cast<size_t>(from.portals_size())};
  return SD_OK;
}

sd_code sd_frame_get_light_set(const sd_frame* frame, uint64_t light_set, const uint64_t** lights,
                               size_t* count, sd_error** error) {
  if (frame == nullptr) return sdk::ReportNull("frame", error);
  if (lights == nullptr) return sdk::ReportNull("lights", error);
  if (count == nullptr) return sdk::ReportNull("count", error);
  const auto found = sdk::ObjectIn(frame->frame->light_sets(), light_set, "set of lights");
  if (!found.ok()) return sdk::Report(found.status(), error);
  *lights = (*found)->data();
  *count = (*found)->size();
  return SD_OK;
}

sd_code sd_frame_get_material(const sd_frame* frame, uint64_t material, sd_frame_material* out,
                              sd_error** error) {
  if (out == nullptr) return sdk::ReportNull("out", error);
  const auto found = sdk::MaterialOf(frame, material);
  if (!found.ok()) return sdk::Report(found.status(), error);
  const stagedoor::v1::MaterialNetwork& network = *(*found)->network;
  *out = {.path = (*found)->path.c_str(),
          .node_count = static_cast<size_t>(network.nodes_size()),
          .surface = sdk::TerminalOf(network, "surface"),
          .displacement = sdk::TerminalOf(network, "displacement"),
          .volume = sdk::TerminalOf(network, "volume")};
  return SD_OK;
}

sd_code sd_frame_get_node(const sd_frame* frame, uint64_t material, size_t node, sd_frame_node* out,
                          sd_error** error) {
  if (out == nullptr) return sdk::ReportNull("out", error);
  const auto found = sdk::NodeOf(frame, material, node);
  if (!found.ok()) return sdk::Report(found.status(), error);
  *out = {.path = (*found)->path().c_str(),
          .id = (*found)->id().c_str(),
          .input_count = static_cast<size_t>((*found)->inputs_size())};
  return SD_OK;
}

sd_code sd_frame_get_input(const sd_frame* frame, uint64_t material, size_t node, size_t input,
                           sd_frame_input* out, sd_error** error) {
  if (out == nullptr) return sdk::ReportNull("out", error);
  const auto found = sdk::InputOf(frame, material, node, input);
  return sdk::Report(found.ok() ? sdk::FillInput(**found, out) : found.status(), error);
}

const char* sd_frame_input_text(const sd_frame* frame, uint64_t material, size_t node, size_t input,
                                size_t index) {
  const auto found = sdk::InputOf(frame, material, node, input);
  return found.ok() ? sdk::TextAt(sdk::ValueOf(**found), index) : nullptr;
}

#include "client/sdk/frame_reply.h"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <memory>
#include <span>

#include "base/status.h"
#include "base/status_macros.h"
#include "client/cc/item_error.h"
#include "client/sdk/imaging_reply.h"
#include "client/sdk/packed_elements.h"

namespace stagedoor::sdk {
namespace {

absl::Status CheckCount(const char* what, size_t found, size_t expected) {
  if (found == expected) return absl::OkStatus();
  return DataLossError("the daemon's reply is inconsistent: a frame has ", found, " ", what,
                       " in place of ", expected);
}

// Checks that the samples of something have times, unless there is only one.
absl::Status CheckTimes(size_t times, size_t samples) {
  return CheckCount("times of samples", times, samples > 1 ? samples : 0);
}

template <typename Repeated>
size_t SizeOf(const Repeated& column) {
  return static_cast<size_t>(column.size());
}

template <typename T>
std::vector<T> Copy(const google::protobuf::RepeatedField<T>& numbers) {
  return {numbers.begin(), numbers.end()};
}

// The array in a field; empty if it is not set.
template <typename T>
absl::StatusOr<Array<T>> ArrayIn(const v1::PackedValues& packed, v1::ComponentType component,
                                 const std::shared_ptr<const void>& owner) {
  if (packed.count() == 0 && packed.data().empty()) return Array<T>();
  return PackedElements<T>(packed, component, owner);
}

absl::StatusOr<std::unordered_map<std::string, FrameValue>> ValuesByName(
    const google::protobuf::RepeatedPtrField<v1::FrameValue>& messages) {
  std::unordered_map<std::string, FrameValue> values;
  for (const v1::FrameValue& message : messages) {
    SD_ASSIGN_OR_RETURN(values[message.name()], FrameValueOf(message));
  }
  return values;
}

absl::Status CheckColumns(const v1::FramePrims& message) {
  const size_t count = SizeOf(message.ids());
  for (const size_t size :
       {SizeOf(message.paths()), SizeOf(message.types()), SizeOf(message.purposes()),
        SizeOf(message.materials()), SizeOf(message.light_sets()), SizeOf(message.shadow_sets()),
        SizeOf(message.geometry()), SizeOf(message.prototypes())}) {
    SD_RETURN_IF_ERROR(CheckCount("fields of prims", size, count));
  }
  for (const size_t size : {message.pass_members().size(), SizeOf(message.draw_modes())}) {
    if (size != 0) SD_RETURN_IF_ERROR(CheckCount("fields of prims", size, count));
  }
  const auto types = static_cast<uint32_t>(message.type_names_size());
  if (std::any_of(message.types().begin(), message.types().end(),
                  [&](uint32_t type) { return type >= types; })) {
    return DataLossError("the daemon's reply is inconsistent: the type of a prim has no name");
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<FrameRows<FramePrim>> FramePrimsIn(const v1::FramePrims& message) {
  SD_RETURN_IF_ERROR(CheckColumns(message));
  FrameRows<FramePrim> rows;
  rows.reserve(SizeOf(message.ids()));
  for (int i = 0; i < message.ids_size(); ++i) {
    FramePrim prim;
    prim.path = message.paths(i);
    prim.type_name = message.type_names(static_cast<int>(message.types(i)));
    prim.purpose = message.purposes(i);
    prim.material = message.materials(i);
    prim.light_set = message.light_sets(i);
    prim.shadow_set = message.shadow_sets(i);
    prim.geometry = message.geometry(i);
    prim.prototype = message.prototypes(i);
    if (!message.pass_members().empty()) {
      prim.pass_members = static_cast<uint8_t>(message.pass_members()[static_cast<size_t>(i)]);
    }
    if (message.draw_modes_size() > 0) prim.draw_mode = message.draw_modes(i);
    rows.emplace_back(message.ids(i), std::move(prim));
  }
  return rows;
}

absl::StatusOr<FrameRows<bool>> FrameVisibilityIn(const v1::FrameVisibility& message) {
  SD_RETURN_IF_ERROR(
      CheckCount("bytes of visibility", message.visible().size(), SizeOf(message.ids())));
  FrameRows<bool> rows;
  for (int i = 0; i < message.ids_size(); ++i) {
    rows.emplace_back(message.ids(i), message.visible()[static_cast<size_t>(i)] != 0);
  }
  return rows;
}

absl::StatusOr<FrameRows<FramePlace>> FrameTransformsIn(const v1::FrameTransforms& message) {
  SD_RETURN_IF_ERROR(
      CheckCount("counts of samples", SizeOf(message.counts()), SizeOf(message.ids())));
  // `message` outlives the array.
  SD_ASSIGN_OR_RETURN(const Array<Matrix4d> matrices,
                      ArrayIn<Matrix4d>(message.matrices(), v1::COMPONENT_TYPE_FLOAT64, nullptr));
  size_t samples = 0;
  size_t times = 0;
  for (const uint32_t count : message.counts()) {
    samples += count;
    if (count > 1) times += count;
  }
  SD_RETURN_IF_ERROR(CheckCount("matrices", matrices.size(), samples));
  SD_RETURN_IF_ERROR(CheckCount("times of matrices", SizeOf(message.times()), times));
  FrameRows<FramePlace> rows;
  rows.reserve(SizeOf(message.ids()));
  const Matrix4d* matrix = matrices.begin();
  auto time = message.times().begin();
  for (int i = 0; i < message.ids_size(); ++i) {
    const uint32_t count = message.counts(i);
    FramePlace place;
    place.matrices.assign(matrix, matrix + count);
    matrix += count;
    if (count > 1) {
      place.times.assign(time, time + count);
      time += count;
    }
    rows.emplace_back(message.ids(i), std::move(place));
  }
  return rows;
}

absl::StatusOr<FrameRows<FrameMaterial>> FrameMaterialsIn(const v1::FrameMaterials& message) {
  const size_t count = SizeOf(message.ids());
  SD_RETURN_IF_ERROR(CheckCount("paths of materials", SizeOf(message.paths()), count));
  SD_RETURN_IF_ERROR(CheckCount("networks of materials", SizeOf(message.networks()), count));
  FrameRows<FrameMaterial> rows(count);
  for (size_t i = 0; i < count; ++i) {
    rows[i].first = message.ids(static_cast<int>(i));
    rows[i].second.path = message.paths(static_cast<int>(i));
  }
  for (const v1::MaterialNetwork& network : message.networks()) {
    if (network.item() >= count) {
      return DataLossError("the daemon's reply is inconsistent: a network has no material");
    }
    FrameMaterial& material = rows[network.item()].second;
    if (network.has_error()) {
      material.status = ItemErrorAt(material.path, network.error());
    } else {
      material.network = std::make_shared<const v1::MaterialNetwork>(network);
    }
  }
  return rows;
}

absl::StatusOr<FrameValue> FrameValueOf(const v1::FrameValue& message) {
  const size_t count = SizeOf(message.values());
  SD_RETURN_IF_ERROR(CheckTimes(SizeOf(message.times()), count));
  if (message.indices_size() > 0) {
    SD_RETURN_IF_ERROR(CheckCount("indices of primvars", SizeOf(message.indices()), count));
  }
  const auto shared = std::make_shared<const v1::FrameValue>(message);
  FrameValue value;
  value.times = Copy(message.times());
  for (const v1::Value& sample : shared->values()) {
    value.samples.emplace_back(shared->type_name(),
                               std::shared_ptr<const v1::Value>(shared, &sample));
  }
  for (const v1::Value& indices : shared->indices()) {
    value.indices.emplace_back("int[]", std::shared_ptr<const v1::Value>(shared, &indices));
  }
  value.message = shared;
  return value;
}

absl::StatusOr<FrameInstances> FrameInstancesOf(const v1::FrameInstances& message) {
  const auto shared = std::make_shared<const v1::FrameInstances>(message);
  FrameInstances instances;
  instances.prototypes = Copy(message.prototypes());
  SD_ASSIGN_OR_RETURN(
      instances.prototype_indices,
      ArrayIn<uint32_t>(shared->prototype_indices(), v1::COMPONENT_TYPE_UINT32, shared));
  SD_ASSIGN_OR_RETURN(
      instances.instance_indices,
      ArrayIn<uint32_t>(shared->instance_indices(), v1::COMPONENT_TYPE_UINT32, shared));
  SD_ASSIGN_OR_RETURN(instances.ids,
                      ArrayIn<int64_t>(shared->ids(), v1::COMPONENT_TYPE_INT64, shared));
  const size_t count = instances.prototype_indices.size();
  SD_RETURN_IF_ERROR(CheckCount("indices of instances", instances.instance_indices.size(), count));
  if (shared->has_ids()) SD_RETURN_IF_ERROR(CheckCount("IDs", instances.ids.size(), count));
  SD_RETURN_IF_ERROR(CheckTimes(SizeOf(message.times()), SizeOf(message.transforms())));
  instances.times = Copy(message.times());
  for (const v1::PackedValues& packed : shared->transforms()) {
    SD_ASSIGN_OR_RETURN(Array<Matrix4d> transforms,
                        ArrayIn<Matrix4d>(packed, v1::COMPONENT_TYPE_FLOAT64, shared));
    SD_RETURN_IF_ERROR(CheckCount("transforms of instances", transforms.size(), count));
    instances.transforms.push_back(std::move(transforms));
  }
  const bool known =
      std::all_of(instances.prototype_indices.begin(), instances.prototype_indices.end(),
                  [&](uint32_t prototype) { return prototype < instances.prototypes.size(); });
  if (!known) {
    return DataLossError("the daemon's reply is inconsistent: an instance has no prototype");
  }
  instances.message = shared;
  return instances;
}

absl::StatusOr<FrameSubset> FrameSubsetOf(const v1::FrameSubset& message) {
  const auto shared = std::make_shared<const v1::FrameSubset>(message);
  FrameSubset subset;
  subset.prim = message.prim();
  subset.material = message.material();
  SD_ASSIGN_OR_RETURN(subset.indices,
                      ArrayIn<int32_t>(shared->indices(), v1::COMPONENT_TYPE_INT32, shared));
  subset.message = shared;
  return subset;
}

absl::StatusOr<FrameLight> FrameLightOf(const v1::FrameLight& message) {
  FrameLight light;
  SD_ASSIGN_OR_RETURN(light.values, ValuesByName(message.values()));
  v1::FrameLight rest = message;
  rest.clear_values();
  light.message = std::make_shared<const v1::FrameLight>(std::move(rest));
  return light;
}

absl::StatusOr<FrameCamera> FrameCameraIn(const v1::FrameHeader& message) {
  FrameCamera camera;
  camera.path = message.camera_path();
  const v1::ComputeCamerasResponse& reply = message.camera();
  if (reply.path_errors_size() > 0) {
    camera.status = ItemErrorAt(camera.path, reply.path_errors(0));
    return camera;
  }
  SD_ASSIGN_OR_RETURN(camera.samples, CamerasIn(reply));
  SD_RETURN_IF_ERROR(CheckTimes(SizeOf(reply.samples().times()), camera.samples.size()));
  camera.times = Copy(reply.samples().times());
  return camera;
}

}  // namespace stagedoor::sdk

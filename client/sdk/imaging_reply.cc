#include "client/sdk/imaging_reply.h"

#include <algorithm>
#include <cstring>
#include <memory>
#include <unordered_map>
#include <utility>

#include "base/status.h"
#include "base/status_macros.h"
#include "client/cc/item_error.h"

namespace stagedoor::sdk {
namespace {

using Errors = std::unordered_map<size_t, absl::Status>;

Errors PathErrors(const google::protobuf::RepeatedPtrField<v1::ItemStatus>& from,
                  std::span<const std::string> paths) {
  Errors errors;
  for (const v1::ItemStatus& error : from) {
    if (error.item() >= paths.size()) continue;
    errors.emplace(error.item(), ItemErrorAt(paths[error.item()], error));
  }
  return errors;
}

// For each item, 1 + the place of one of `count` results, or 0.
absl::StatusOr<std::vector<uint32_t>> Choices(
    const google::protobuf::RepeatedField<uint32_t>& chosen, size_t items, int count) {
  const bool all = std::all_of(chosen.begin(), chosen.end(),
                               [&](uint32_t one) { return one <= static_cast<uint32_t>(count); });
  if (!all || static_cast<size_t>(chosen.size()) != items) {
    return DataLossError("the daemon's reply is inconsistent: it has ", chosen.size(),
                         " items that choose from ", count, " for ", items);
  }
  return std::vector<uint32_t>(chosen.begin(), chosen.end());
}

// Copies a tuple of a reply about `count` cameras. DATA_LOSS if it does not have one of this size
// for each.
template <typename T>
absl::Status CopyItem(const v1::PackedValues& packed, size_t count, size_t item, T* to) {
  if (packed.data().size() != count * sizeof(T)) {
    return DataLossError("the daemon's reply is inconsistent: it has ", packed.data().size(),
                         " bytes for ", count, " cameras");
  }
  std::memcpy(to, packed.data().data() + item * sizeof(T), sizeof(T));
  return absl::OkStatus();
}

absl::StatusOr<Camera> CameraAt(std::shared_ptr<const v1::ComputeCamerasResponse> reply,
                                size_t count, size_t item) {
  Camera camera;
  SD_RETURN_IF_ERROR(CopyItem(reply->local_to_world(), count, item, &camera.local_to_world));
  SD_RETURN_IF_ERROR(CopyItem(reply->view_matrix(), count, item, &camera.view_matrix));
  SD_RETURN_IF_ERROR(CopyItem(reply->projection_matrix(), count, item, &camera.projection_matrix));
  SD_RETURN_IF_ERROR(CopyItem(reply->window(), count, item, &camera.window));
  SD_RETURN_IF_ERROR(CopyItem(reply->clipping_range(), count, item, &camera.clipping_range));
  const int i = static_cast<int>(item);
  camera.focal_length = reply->focal_length(i);
  camera.f_stop = reply->f_stop(i);
  camera.focus_distance = reply->focus_distance(i);
  camera.shutter_open = reply->shutter_open(i);
  camera.shutter_close = reply->shutter_close(i);
  camera.message = std::move(reply);
  return camera;
}

// Joins the results of parts: `place` returns the place that a distinct result has among all.
template <typename T, typename Place>
SharedResults<T> JoinParts(std::span<const SharedResults<T>* const> parts, size_t width,
                           std::vector<T>* distinct, const Place& place) {
  std::vector<uint32_t> chosen;
  Errors errors;
  for (const SharedResults<T>* part : parts) {
    const size_t begin = chosen.size() / width;
    for (const auto& [path, error] : part->errors()) errors.emplace(begin + path, error);
    std::vector<uint32_t> places = {0};
    for (const T& one : part->distinct()) places.push_back(place(one) + 1);
    for (const uint32_t one : part->chosen()) chosen.push_back(places[one]);
  }
  return {std::move(*distinct), std::move(chosen), width, std::move(errors)};
}

}  // namespace

absl::StatusOr<BoundMaterials> BoundMaterialsIn(const v1::ComputeBoundMaterialsResponse& reply,
                                                std::span<const std::string> paths,
                                                size_t purposes) {
  SD_ASSIGN_OR_RETURN(std::vector<uint32_t> chosen,
                      Choices(reply.material(), paths.size() * purposes, reply.materials_size()));
  std::vector<std::string> materials(reply.materials().begin(), reply.materials().end());
  return BoundMaterials(std::move(materials), std::move(chosen), purposes,
                        PathErrors(reply.path_errors(), paths));
}

absl::StatusOr<LightSets> LightSetsIn(const v1::ComputeLightSetsResponse& reply,
                                      std::span<const std::string> paths) {
  SD_ASSIGN_OR_RETURN(std::vector<uint32_t> chosen,
                      Choices(reply.set(), paths.size(), reply.sets_size()));
  std::vector<std::vector<uint32_t>> sets;
  for (const v1::LightSet& set : reply.sets()) {
    const auto& lights = set.lights();
    const bool known = std::all_of(lights.begin(), lights.end(), [&](uint32_t light) {
      return light < static_cast<uint32_t>(reply.lights_size());
    });
    if (!known) return DataLossError("the daemon's reply is inconsistent: a light has no path");
    sets.emplace_back(lights.begin(), lights.end());
  }
  return LightSets{{reply.lights().begin(), reply.lights().end()},
                   {std::move(sets), std::move(chosen), 1, PathErrors(reply.path_errors(), paths)}};
}

absl::StatusOr<std::vector<Camera>> CamerasIn(v1::ComputeCamerasResponse reply) {
  const auto count = static_cast<size_t>(reply.focal_length_size());
  for (const int size : {reply.f_stop_size(), reply.focus_distance_size(),
                         reply.shutter_open_size(), reply.shutter_close_size()}) {
    if (static_cast<size_t>(size) == count) continue;
    return DataLossError("the daemon's reply is inconsistent: it is about ", count, " and ", size,
                         " cameras");
  }
  const auto shared = std::make_shared<const v1::ComputeCamerasResponse>(std::move(reply));
  std::vector<Camera> cameras;
  for (size_t i = 0; i < count; ++i) {
    SD_ASSIGN_OR_RETURN(Camera camera, CameraAt(shared, count, i));
    cameras.push_back(std::move(camera));
  }
  return cameras;
}

absl::StatusOr<Camera> CameraIn(v1::ComputeCamerasResponse reply, const std::string& path) {
  if (reply.path_errors_size() > 0) return ItemErrorAt(path, reply.path_errors(0));
  SD_ASSIGN_OR_RETURN(std::vector<Camera> cameras, CamerasIn(std::move(reply)));
  if (cameras.size() == 1) return std::move(cameras.front());
  return DataLossError("the daemon's reply is inconsistent: it is not about one camera");
}

BoundMaterials JoinMaterials(std::span<const BoundMaterials> parts, size_t purposes) {
  if (parts.size() == 1) return parts.front();
  std::vector<const BoundMaterials*> all;
  for (const BoundMaterials& part : parts) all.push_back(&part);
  std::vector<std::string> materials;
  std::unordered_map<std::string, uint32_t> places;
  return JoinParts<std::string>(all, purposes, &materials, [&](const std::string& material) {
    const auto [at, added] = places.try_emplace(material, materials.size());
    if (added) materials.push_back(material);
    return at->second;
  });
}

absl::StatusOr<LightSets> JoinLightSets(std::vector<LightSets> parts) {
  if (parts.size() == 1) return std::move(parts.front());
  std::vector<const SharedResults<std::vector<uint32_t>>*> all;
  for (const LightSets& part : parts) {
    if (part.lights != parts.front().lights) {
      return DataLossError("the daemon's replies are inconsistent: they differ in lights");
    }
    all.push_back(&part.sets);
  }
  std::vector<std::vector<uint32_t>> sets;
  auto joined =
      JoinParts<std::vector<uint32_t>>(all, 1, &sets, [&](const std::vector<uint32_t>& set) {
        sets.push_back(set);
        return static_cast<uint32_t>(sets.size() - 1);
      });
  return LightSets{std::move(parts.front().lights), std::move(joined)};
}

}  // namespace stagedoor::sdk

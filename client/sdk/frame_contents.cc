#include "client/sdk/frame_contents.h"

#include <unordered_set>
#include <utility>
#include <vector>

#include "base/status.h"
#include "base/status_macros.h"
#include "client/cc/item_error.h"
#include "client/sdk/frame_reply.h"

namespace stagedoor::sdk {
namespace {

// Puts objects in the place of those with the same IDs. Whether there were some.
template <typename T>
bool Put(FrameRows<T> rows, FrameContents::Objects<T>* objects, std::vector<FrameId>* changed) {
  bool replaced = false;
  for (auto& [id, object] : rows) {
    replaced |= !objects->insert_or_assign(id, std::move(object)).second;
    changed->push_back(id);
  }
  return replaced;
}

absl::Status AddFailures(const v1::ExtractFrameResponse& message, FrameChanges* changes) {
  for (const v1::ItemStatus& error : message.path_errors()) {
    if (error.item() >= static_cast<uint32_t>(message.error_paths_size())) {
      return DataLossError("the daemon's reply is inconsistent: an error has no path");
    }
    const std::string& path = message.error_paths(static_cast<int>(error.item()));
    changes->failures.push_back({path, ItemErrorAt(path, error)});
  }
  return absl::OkStatus();
}

template <typename T>
void KeepOnly(const std::unordered_set<FrameId>& used, FrameContents::Objects<T>* objects) {
  std::erase_if(*objects, [&](const auto& object) { return !used.contains(object.first); });
}

}  // namespace

void FrameChanges::Add(const FrameChanges& next) {
  if (next.complete) *this = FrameChanges();
  complete |= next.complete;
  camera |= next.camera;
  settings |= next.settings;
  const auto append = [](const auto& from, auto* to) {
    to->insert(to->end(), from.begin(), from.end());
  };
  append(next.prims, &prims);
  append(next.visibility, &visibility);
  append(next.transforms, &transforms);
  append(next.geometry, &geometry);
  append(next.subsets, &subsets);
  append(next.materials, &materials);
  append(next.lights, &lights);
  append(next.light_sets, &light_sets);
  append(next.removed, &removed);
  append(next.failures, &failures);
  append(next.warnings, &warnings);
}

absl::Status FrameContents::Apply(const v1::ExtractFrameResponse& message, FrameChanges* changes) {
  if (message.has_header()) SD_RETURN_IF_ERROR(ApplyHeader(message.header(), changes));
  if (message.prim_count() != 0) header_.set_prim_count(message.prim_count());
  SD_ASSIGN_OR_RETURN(FrameRows<FrameMaterial> materials, FrameMaterialsIn(message.materials()));
  Put(std::move(materials), &materials_, &changes->materials);
  SD_RETURN_IF_ERROR(ApplyLights(message, changes));
  SD_ASSIGN_OR_RETURN(FrameRows<FramePrim> prims, FramePrimsIn(message.prims()));
  may_have_unused_ |= Put(std::move(prims), &prims_, &changes->prims);
  SD_RETURN_IF_ERROR(ApplyPlaces(message, changes));
  for (const v1::FrameGeometry& geometry : message.geometry()) {
    SD_RETURN_IF_ERROR(ApplyGeometry(geometry, changes));
  }
  for (const v1::FrameSubset& from : message.subsets()) {
    SD_ASSIGN_OR_RETURN(FrameSubset subset, FrameSubsetOf(from));
    may_have_unused_ |= !subsets_.insert_or_assign(from.id(), std::move(subset)).second;
    changes->subsets.push_back(from.id());
  }
  Remove(message, changes);
  changes->warnings.insert(changes->warnings.end(), message.warnings().begin(),
                           message.warnings().end());
  return AddFailures(message, changes);
}

absl::Status FrameContents::ApplyHeader(const v1::FrameHeader& header, FrameChanges* changes) {
  if (header.complete()) {
    *this = FrameContents();
    changes->complete = true;
  }
  header_ = header;
  header_.clear_camera();
  header_.clear_settings();
  if (header.has_camera() || header.camera_path() != camera_.path) {
    changes->camera = true;
    camera_ = FrameCamera{.path = header.camera_path()};
  }
  if (header.has_camera()) {
    SD_ASSIGN_OR_RETURN(camera_, FrameCameraIn(header));
  }
  if (header.has_settings()) {
    changes->settings = true;
    settings_ = std::make_shared<const v1::RenderSettings>(header.settings());
  } else if (header.settings_path().empty() && settings_ != nullptr) {
    changes->settings = true;
    settings_ = nullptr;
  }
  return absl::OkStatus();
}

absl::Status FrameContents::ApplyLights(const v1::ExtractFrameResponse& message,
                                        FrameChanges* changes) {
  for (const v1::FrameLight& from : message.lights()) {
    SD_ASSIGN_OR_RETURN(FrameLight light, FrameLightOf(from));
    may_have_unused_ |= !lights_.insert_or_assign(from.id(), std::move(light)).second;
    changes->lights.push_back(from.id());
  }
  for (const v1::FrameLightSet& set : message.light_sets()) {
    light_sets_[set.id()] = {set.lights().begin(), set.lights().end()};
    changes->light_sets.push_back(set.id());
  }
  return absl::OkStatus();
}

absl::Status FrameContents::ApplyPlaces(const v1::ExtractFrameResponse& message,
                                        FrameChanges* changes) {
  SD_ASSIGN_OR_RETURN(const FrameRows<bool> visibility, FrameVisibilityIn(message.visibility()));
  for (const auto& [id, visible] : visibility) {
    places_[id].visible = visible;
    changes->visibility.push_back(id);
  }
  SD_ASSIGN_OR_RETURN(FrameRows<FramePlace> transforms, FrameTransformsIn(message.transforms()));
  for (auto& [id, from] : transforms) {
    FramePlace& place = places_[id];
    place.times = std::move(from.times);
    place.matrices = std::move(from.matrices);
    changes->transforms.push_back(id);
  }
  return absl::OkStatus();
}

absl::Status FrameContents::ApplyGeometry(const v1::FrameGeometry& message, FrameChanges* changes) {
  FrameGeometry& geometry = geometry_[message.id()];
  if (message.complete()) geometry = FrameGeometry();
  FrameChanges::Geometry& changed = changes->geometry.emplace_back();
  changed.id = message.id();
  changed.complete = message.complete();
  for (const v1::FrameValue& from : message.values()) {
    if (from.removed()) {
      geometry.values.erase(from.name());
      changed.removed.push_back(from.name());
      continue;
    }
    SD_ASSIGN_OR_RETURN(geometry.values[from.name()], FrameValueOf(from));
    changed.values.push_back(from.name());
  }
  for (const v1::FrameSharedValues& shared : message.shared()) {
    SD_RETURN_IF_ERROR(ApplyShared(shared, &geometry, &changed));
  }
  if (message.fields_size() > 0) {
    geometry.fields = {message.fields().begin(), message.fields().end()};
    changed.fields = true;
  }
  if (message.has_instances()) {
    SD_ASSIGN_OR_RETURN(FrameInstances instances, FrameInstancesOf(message.instances()));
    geometry.instances = std::make_shared<const FrameInstances>(std::move(instances));
    changed.instances = true;
  }
  return absl::OkStatus();
}

absl::Status FrameContents::ApplyShared(const v1::FrameSharedValues& shared,
                                        FrameGeometry* geometry, FrameChanges::Geometry* changed) {
  const FrameGeometry* other = Find(geometry_, shared.geometry());
  for (const std::string& name : shared.names()) {
    const FrameValue* value = other == nullptr ? nullptr : other->Find(name);
    if (value == nullptr) {
      return DataLossError("the daemon's reply is inconsistent: a frame has no ", name,
                           " that geometry refers to");
    }
    geometry->values[name] = FrameValue(*value);  // which may be of the same geometry
    changed->values.push_back(name);
  }
  return absl::OkStatus();
}

void FrameContents::Remove(const v1::ExtractFrameResponse& message, FrameChanges* changes) {
  for (const FrameId id : message.removed()) {
    prims_.erase(id);
    places_.erase(id);
    geometry_.erase(id);
    subsets_.erase(id);
    materials_.erase(id);
    lights_.erase(id);
    light_sets_.erase(id);
    changes->removed.push_back(id);
    may_have_unused_ = true;
  }
}

void FrameContents::DropUnused() {
  if (!std::exchange(may_have_unused_, false)) return;
  std::unordered_set<FrameId> used;
  for (const auto& [id, prim] : prims_) used.insert({id, prim.geometry, prim.material});
  for (const auto& [id, light] : lights_) used.insert({id, light.message->material()});
  std::erase_if(subsets_, [&](const auto& subset) { return !used.contains(subset.second.prim); });
  for (const auto& [id, subset] : subsets_) used.insert(subset.material);
  KeepOnly(used, &places_);
  KeepOnly(used, &geometry_);
  KeepOnly(used, &materials_);
}

}  // namespace stagedoor::sdk

#include "tests/tools/held_frame.h"

#include <algorithm>
#include <functional>
#include <set>
#include <string_view>
#include <utility>

#include "base/strings.h"
#include "tests/tools/frame_references.h"

namespace stagedoor {
namespace {

constexpr size_t kMostProblems = 100;
constexpr size_t kLongestToken = 100;
// How far values may be from those that refer to them, in geometries.
constexpr size_t kMostGeometryBetween = 4096;

// Elements [begin, begin + count) of a packed array.
v1::PackedValues Slice(const v1::PackedValues& packed, uint64_t begin, uint64_t count) {
  const uint64_t size = packed.count() == 0 ? 0 : packed.data().size() / packed.count();
  v1::PackedValues slice = packed;
  slice.set_count(count);
  slice.set_data(packed.data().substr(begin * size, count * size));
  return slice;
}

template <typename Range>
bool Ascends(const Range& numbers) {
  return std::adjacent_find(numbers.begin(), numbers.end(), std::greater_equal<>()) ==
         numbers.end();
}

}  // namespace

void HeldFrame::Begin() {
  token_.clear();
  counts_ = {};
  sent_paths_.clear();
  errors_.clear();
  error_paths_.clear();
  problems_.clear();
  sent_values_.clear();
  latest_.clear();
}

void HeldFrame::Problem(std::string text) {
  if (problems_.size() < kMostProblems) problems_.push_back(std::move(text));
}

void HeldFrame::Put(Key key, const v1::ExtractFrameResponse& part) {
  ++counts_.parts;
  std::string& held = parts_[std::move(key)];
  std::string bytes = part.SerializeAsString();
  if (held == bytes) ++counts_.redundant;
  held = std::move(bytes);
}

void HeldFrame::Apply(const v1::ExtractFrameResponse& message) {
  if (!token_.empty()) Problem("a message follows the one with the token");
  if ((counts_.messages == 0) != message.has_header())
    Problem("the header is not at the beginning");
  ++counts_.messages;
  counts_.bytes += message.ByteSizeLong();
  if (message.has_header()) TakeHeader(message.header());
  if (message.prim_count() != 0) header_.set_prim_count(message.prim_count());
  TakeMaterials(message.materials());
  for (const v1::FrameLight& light : message.lights()) TakeLight(light);
  for (const v1::FrameLightSet& set : message.light_sets()) TakeLightSet(set);
  TakePrims(message.prims());
  TakeVisibility(message.visibility());
  TakeTransforms(message.transforms());
  for (const v1::FrameGeometry& geometry : message.geometry()) TakeGeometry(geometry);
  for (const v1::FrameSubset& subset : message.subsets()) {
    v1::ExtractFrameResponse part;
    *part.add_subsets() = subset;
    Put({subset.id(), Kind::kSubset, ""}, part);
  }
  for (const uint64_t id : message.removed()) Remove(id);
  TakeErrors(message);
  token_ = message.token();
}

void HeldFrame::End(bool without_invisible) {
  if (token_.empty() || token_.size() > kLongestToken) {
    Problem(Concat("the token has ", token_.size(), " bytes"));
  }
  v1::ExtractFrameResponse part;
  *part.mutable_header() = header_;
  part.mutable_header()->clear_snapshot();
  part.mutable_header()->clear_complete();
  part.mutable_header()->clear_time();
  parts_[Key{}] = part.SerializeAsString();
  for (std::string& problem : DropUnused(&parts_, without_invisible)) Problem(std::move(problem));
}

void HeldFrame::TakeHeader(const v1::FrameHeader& header) {
  if (header.complete()) {
    parts_.clear();
    header_.Clear();
  }
  v1::FrameHeader merged = header;
  if (!merged.has_settings() && merged.settings_path() == header_.settings_path() &&
      header_.has_settings()) {
    *merged.mutable_settings() = header_.settings();
  }
  if (!merged.has_camera() && merged.camera_path() == header_.camera_path() &&
      header_.has_camera()) {
    *merged.mutable_camera() = header_.camera();
  }
  if (merged.has_settings() == merged.settings_path().empty()) Problem("settings without a path");
  if (merged.has_camera() == merged.camera_path().empty()) Problem("a camera without a path");
  header_ = std::move(merged);
}

void HeldFrame::TakeMaterials(const v1::FrameMaterials& materials) {
  if (materials.paths_size() != materials.ids_size() ||
      materials.networks_size() != materials.ids_size()) {
    return Problem("the columns of materials differ in length");
  }
  for (int i = 0; i < materials.ids_size(); ++i) {
    v1::ExtractFrameResponse part;
    v1::FrameMaterials& one = *part.mutable_materials();
    one.add_ids(materials.ids(i));
    one.add_paths(materials.paths(i));
    *one.add_networks() = materials.networks(i);
    if (one.networks(0).item() != static_cast<uint32_t>(i)) Problem("a network is out of order");
    one.mutable_networks(0)->clear_item();
    Put({materials.ids(i), Kind::kMaterial, ""}, part);
  }
}

void HeldFrame::TakeLight(const v1::FrameLight& light) {
  for (const v1::FrameValue& value : light.values()) {
    CheckTimes(Concat(light.path(), ".", value.name()), value.values_size(), value.times());
  }
  v1::ExtractFrameResponse part;
  *part.add_lights() = light;
  Put({light.id(), Kind::kLight, ""}, part);
}

void HeldFrame::TakeLightSet(const v1::FrameLightSet& set) {
  if (!Ascends(set.lights())) Problem(Concat("the lights of set ", set.id(), " do not ascend"));
  v1::ExtractFrameResponse part;
  *part.add_light_sets() = set;
  Put({set.id(), Kind::kLightSet, ""}, part);
}

void HeldFrame::TakePrims(const v1::FramePrims& prims) {
  const int count = prims.ids_size();
  const int members = static_cast<int>(prims.pass_members().size());
  const auto has = [&](int size) { return size == count; };
  const auto may_have = [&](int size) { return size == count || size == 0; };
  if (!has(prims.paths_size()) || !has(prims.types_size()) || !has(prims.purposes_size()) ||
      !has(prims.materials_size()) || !has(prims.light_sets_size()) ||
      !has(prims.shadow_sets_size()) || !has(prims.geometry_size()) ||
      !has(prims.prototypes_size()) || !may_have(members) || !may_have(prims.draw_modes_size())) {
    return Problem("the columns of prims differ in length");
  }
  for (int i = 0; i < count; ++i) {
    v1::ExtractFrameResponse part;
    v1::FramePrims& one = *part.mutable_prims();
    const bool has_type = prims.types(i) < static_cast<uint32_t>(prims.type_names_size());
    if (!has_type) Problem(Concat(prims.paths(i), ": the type does not exist"));
    one.add_ids(prims.ids(i));
    one.add_paths(prims.paths(i));
    one.add_types(0);
    one.add_type_names(has_type ? prims.type_names(static_cast<int>(prims.types(i))) : "");
    one.add_purposes(prims.purposes(i));
    one.add_materials(prims.materials(i));
    one.add_light_sets(prims.light_sets(i));
    one.add_shadow_sets(prims.shadow_sets(i));
    one.add_geometry(prims.geometry(i));
    one.add_prototypes(prims.prototypes(i));
    if (members != 0) one.set_pass_members(prims.pass_members().substr(i, 1));
    one.add_draw_modes(prims.draw_modes_size() == 0 ? "" : prims.draw_modes(i));
    Put({prims.ids(i), Kind::kPrim, ""}, part);
    sent_paths_.push_back(prims.paths(i));
  }
}

void HeldFrame::TakeVisibility(const v1::FrameVisibility& visibility) {
  if (visibility.visible().size() != static_cast<size_t>(visibility.ids_size())) {
    return Problem("the columns of visibility differ in length");
  }
  for (int i = 0; i < visibility.ids_size(); ++i) {
    v1::ExtractFrameResponse part;
    part.mutable_visibility()->add_ids(visibility.ids(i));
    part.mutable_visibility()->set_visible(visibility.visible().substr(i, 1));
    Put({visibility.ids(i), Kind::kVisibility, ""}, part);
  }
}

void HeldFrame::TakeTransforms(const v1::FrameTransforms& transforms) {
  uint64_t matrices = 0, times = 0;
  for (const uint32_t count : transforms.counts()) {
    matrices += count;
    times += count > 1 ? count : 0;
  }
  if (transforms.counts_size() != transforms.ids_size() ||
      transforms.matrices().count() != matrices ||
      static_cast<uint64_t>(transforms.times_size()) != times) {
    return Problem("the columns of transforms differ in length");
  }
  uint64_t matrix = 0;
  int time = 0;
  for (int i = 0; i < transforms.ids_size(); ++i) {
    const uint32_t count = transforms.counts(i);
    v1::ExtractFrameResponse part;
    v1::FrameTransforms& one = *part.mutable_transforms();
    one.add_ids(transforms.ids(i));
    one.add_counts(count);
    for (uint32_t t = 0; count > 1 && t < count; ++t) one.add_times(transforms.times(time++));
    *one.mutable_matrices() = Slice(transforms.matrices(), matrix, count);
    CheckTimes(Concat("the transform of ", transforms.ids(i)), static_cast<int>(count),
               one.times());
    Put({transforms.ids(i), Kind::kTransform, ""}, part);
    matrix += count;
  }
}

void HeldFrame::TakeGeometry(const v1::FrameGeometry& geometry) {
  const Key key{geometry.id(), Kind::kGeometry, ""};
  v1::ExtractFrameResponse part;
  part.add_geometry()->set_id(key.id);
  if (geometry.complete()) {
    Forget(geometry);
    Put(key, part);
  } else if (!parts_.contains(key)) {
    Problem(Concat("geometry ", key.id, " is not complete, and not held"));
  }
  if (geometry.fields_size() != 0) {
    v1::ExtractFrameResponse fields = part;
    *fields.mutable_geometry(0)->mutable_fields() = geometry.fields();
    Put({key.id, Kind::kFields, ""}, fields);
  }
  if (geometry.has_instances()) TakeInstances(key.id, geometry.instances());
  for (const v1::FrameValue& value : geometry.values()) {
    TakeValue(key.id, value);
    if (!value.removed()) sent_values_[key.id].insert(value.name());
  }
  for (const v1::FrameSharedValues& shared : geometry.shared()) TakeShared(key.id, shared);
  latest_.push_back(key.id);
  if (latest_.size() <= kMostGeometryBetween) return;
  sent_values_.erase(latest_.front());
  latest_.pop_front();
}

// Drops what is held of a geometry but not in this message, which has all of it.
void HeldFrame::Forget(const v1::FrameGeometry& geometry) {
  std::set<std::string_view> kept;
  for (const v1::FrameValue& value : geometry.values()) kept.insert(value.name());
  for (const v1::FrameSharedValues& shared : geometry.shared()) {
    kept.insert(shared.names().begin(), shared.names().end());
  }
  const auto is_kept = [&](const Key& key) {
    switch (key.kind) {
      case Kind::kValue:
        return kept.contains(key.name);
      case Kind::kFields:
        return geometry.fields_size() != 0;
      case Kind::kInstances:
        return geometry.has_instances();
      default:
        return true;
    }
  };
  auto at = parts_.lower_bound(Key{geometry.id(), Kind::kHeader, ""});
  while (at != parts_.end() && at->first.id == geometry.id()) {
    at = is_kept(at->first) ? std::next(at) : parts_.erase(at);
  }
}

void HeldFrame::TakeInstances(uint64_t geometry, const v1::FrameInstances& instances) {
  const std::string what = Concat("instances of ", geometry);
  if (instances.prototypes_size() != instances.prototype_paths_size()) {
    Problem(Concat(what, ": the columns of prototypes differ in length"));
  }
  const uint64_t count = instances.prototype_indices().count();
  const auto is_wrong = [&](const v1::PackedValues& array) { return array.count() != count; };
  if (is_wrong(instances.instance_indices()) ||
      (instances.has_ids() && is_wrong(instances.ids())) ||
      std::any_of(instances.transforms().begin(), instances.transforms().end(), is_wrong)) {
    Problem(Concat(what, ": the arrays differ in length"));
  }
  // There is nothing if they could not be computed.
  if (instances.transforms_size() != 0) {
    CheckTimes(what, instances.transforms_size(), instances.times());
  }
  v1::ExtractFrameResponse part;
  v1::FrameGeometry& one = *part.add_geometry();
  one.set_id(geometry);
  *one.mutable_instances() = instances;
  Put({geometry, Kind::kInstances, ""}, part);
}

void HeldFrame::TakeValue(uint64_t geometry, const v1::FrameValue& value) {
  const Key key{geometry, Kind::kValue, value.name()};
  if (value.removed()) {
    ++counts_.parts;
    counts_.redundant += parts_.erase(key) == 0;
    return;
  }
  if (value.indices_size() != 0 && value.indices_size() != value.values_size()) {
    Problem(Concat(value.name(), " has indices for some of its values"));
  }
  CheckTimes(value.name(), value.values_size(), value.times());
  v1::ExtractFrameResponse part;
  v1::FrameGeometry& one = *part.add_geometry();
  one.set_id(geometry);
  *one.add_values() = value;
  Put(key, part);
}

void HeldFrame::TakeShared(uint64_t geometry, const v1::FrameSharedValues& shared) {
  const std::set<std::string>& known = sent_values_[shared.geometry()];
  for (const std::string& name : shared.names()) {
    v1::ExtractFrameResponse part;
    if (!known.contains(name) ||
        !part.ParseFromString(parts_[{shared.geometry(), Kind::kValue, name}])) {
      Problem(Concat(name, " of ", geometry, " is not among what came of ", shared.geometry()));
      continue;
    }
    ++counts_.shared;
    part.mutable_geometry(0)->set_id(geometry);
    Put({geometry, Kind::kValue, name}, part);
  }
}

void HeldFrame::Remove(uint64_t id) {
  ++counts_.parts;
  const auto begin = parts_.lower_bound(Key{id, Kind::kHeader, ""});
  auto end = begin;
  while (end != parts_.end() && end->first.id == id) ++end;
  if (id == 0) return Problem("removes the object 0");
  if (begin == end) ++counts_.redundant;
  parts_.erase(begin, end);
}

void HeldFrame::TakeErrors(const v1::ExtractFrameResponse& message) {
  for (const v1::ItemStatus& error : message.path_errors()) {
    if (error.item() >= static_cast<uint32_t>(message.error_paths_size())) {
      Problem("an error has no path");
      continue;
    }
    error_paths_.push_back(message.error_paths(static_cast<int>(error.item())));
    errors_.push_back(error);
  }
}

void HeldFrame::CheckTimes(const std::string& what, int samples,
                           const google::protobuf::RepeatedField<double>& times) {
  if (samples == 0) Problem(Concat(what, " has no sample"));
  if (times.size() != (samples > 1 ? samples : 0)) {
    Problem(Concat(what, " has ", times.size(), " times for ", samples, " samples"));
  }
  if (!Ascends(times)) Problem(Concat(what, " has times that do not ascend"));
}

}  // namespace stagedoor

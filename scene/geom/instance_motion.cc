#include "scene/geom/instance_motion.h"

#include <cstdint>
#include <optional>
#include <unordered_map>
#include <utility>

#include "base/pacer.h"
#include "base/status_macros.h"
#include "scene/geom/geom_tokens.h"
#include "scene/geom/point_based.h"
#include "scene/geom/source_sink.h"
#include "scene/geom/xform_query.h"
#include "scene/stage/stage.h"
#include "scene/values/quat_math.h"

namespace stagedoor {
namespace {

Token RateName(const InstanceRates& rates) {
  if (rates.angular_velocities) return Geom().angularVelocities;
  return rates.accelerations ? Geom().accelerations : Geom().velocities;
}

// Calls move(i, j) for each of the `ids`, at i, that is `there` too, at j.
template <typename Move>
absl::Status ForEachMoved(RequestContext& context, const Array<int64_t>& ids,
                          const Array<int64_t>& there, const Move& move) {
  Reservation reserved(context);
  constexpr size_t kBytesOfPlace = 48;  // one element of the map
  SD_RETURN_IF_ERROR(reserved.Grow(there.size() * kBytesOfPlace, "ids of instances"));
  std::unordered_map<int64_t, size_t> places;
  Pacer pacer(context);
  for (size_t i = 0; i < there.size(); ++i) {
    SD_RETURN_IF_ERROR(pacer.Step());
    places.emplace(there[i], i);
  }
  for (size_t i = 0; i < ids.size(); ++i) {
    SD_RETURN_IF_ERROR(pacer.Step());
    const auto place = places.find(ids[i]);
    if (place != places.end()) move(i, place->second);
  }
  return absl::OkStatus();
}

// The first `count` elements of an array that may have more or be empty, to be changed.
template <typename T>
Array<T> Copied(const Array<T>& array, size_t count, const T& otherwise, T** out) {
  auto copy = Array<T>::Uninitialized(count, out);
  for (size_t i = 0; i < count; ++i) (*out)[i] = array.empty() ? otherwise : array[i];
  return copy;
}

// Puts the instances of `moved`, whose ids are `there`, in the places of those of `arrays`, whose
// ids are `ids`.
absl::Status MoveInstances(RequestContext& context, const Array<int64_t>& ids,
                           const Array<int64_t>& there, const InstanceArrays& moved,
                           InstanceArrays* arrays) {
  const size_t count = ids.size();
  Vec3f *positions, *scales = nullptr;
  Quatf* orientations = nullptr;
  auto new_positions = Copied(arrays->positions, count, Vec3f{0, 0, 0}, &positions);
  Array<Vec3f> new_scales;
  Array<Quatf> new_orientations;
  if (!arrays->scales.empty() || !moved.scales.empty()) {
    new_scales = Copied(arrays->scales, count, Vec3f{1, 1, 1}, &scales);
  }
  if (!arrays->orientations.empty() || !moved.orientations.empty()) {
    new_orientations = Copied(arrays->orientations, count, IdentityQuat<float>(), &orientations);
  }
  SD_RETURN_IF_ERROR(ForEachMoved(context, ids, there, [&](size_t to, size_t from) {
    positions[to] = moved.positions[from];
    if (scales) scales[to] = moved.scales.empty() ? Vec3f{1, 1, 1} : moved.scales[from];
    if (!orientations) return;
    orientations[to] =
        moved.orientations.empty() ? IdentityQuat<float>() : moved.orientations[from];
  }));
  arrays->positions = std::move(new_positions);
  arrays->scales = std::move(new_scales);
  arrays->orientations = std::move(new_orientations);
  return absl::OkStatus();
}

}  // namespace

absl::Status AddPrototypeMotion(RequestContext& context, const Prim& instancer, SourceSink* sink) {
  const Relationship prototypes = instancer.GetRelationship(Geom().prototypes);
  if (!prototypes.valid()) return absl::OkStatus();
  Pacer pacer(context);
  for (const Path& path : prototypes.Targets(context)) {
    SD_RETURN_IF_ERROR(pacer.Step());
    const Prim root = instancer.stage().FindPrim(path);
    if (!root.valid()) continue;
    std::optional<XformQuery> own;
    const XformQuery& query = XformTable::Of(root.stage()).Find(context, root, &own);
    SD_RETURN_IF_ERROR(query.AddSources(context, root, sink));
  }
  return absl::OkStatus();
}

absl::Status AddInstanceMotion(RequestContext& context, const Prim& prim, TimeCode base_time,
                               bool include_proto_transform, MotionTimes* times) {
  if (include_proto_transform) SD_RETURN_IF_ERROR(AddPrototypeMotion(context, prim, times));
  const InstanceRates rates = FindInstanceRates(context, prim, base_time);
  if (rates.any()) {
    const bool along_lines = !rates.accelerations && !rates.angular_velocities;
    times->AddEven(CountRateSamples(context, prim, base_time, along_lines), prim, RateName(rates));
    return context.Check();
  }
  const Token orientations = rates.full_orientations ? Geom().orientationsf : Geom().orientations;
  for (const Token name : {Geom().positions, orientations, Geom().scales}) {
    SD_RETURN_IF_ERROR(times->Add(context, AttributeQuery(context, prim.GetAttribute(name))));
  }
  return context.Check();
}

absl::StatusOr<InstanceTransforms> ComputeInstanceSample(RequestContext& context, const Prim& prim,
                                                         TimeCode time, TimeCode base_time,
                                                         const InstanceOptions& options) {
  const Array<int64_t> ids = ReadInstanceIds(context, prim, base_time);
  const Array<int64_t> there = ReadInstanceIds(context, prim, time);
  if (ids == there || FindInstanceRates(context, prim, base_time).any()) {
    return ComputeInstanceTransforms(context, prim, time, base_time, options);
  }
  InstanceOptions all = options;
  all.apply_mask = false;
  SD_ASSIGN_OR_RETURN(InstanceTransforms result,
                      ComputeInstanceTransforms(context, prim, base_time, base_time, all));
  const auto moved = ComputeInstanceTransforms(context, prim, time, time, all);
  SD_RETURN_IF_ERROR(context.Check());
  if (moved.ok() && ids.size() == result.transforms.size() &&
      there.size() == moved->transforms.size()) {
    SD_RETURN_IF_ERROR(ForEachMoved(context, ids, there, [&](size_t to, size_t from) {
      result.transforms[to] = moved->transforms[from];
    }));
  }
  if (options.apply_mask) SD_RETURN_IF_ERROR(ApplyInstanceMask(prim, &result));
  return result;
}

absl::StatusOr<InstanceArraySample> ComputeInstanceArrays(RequestContext& context, const Prim& prim,
                                                          TimeCode time, TimeCode base_time) {
  InstanceArraySample sample{.arrays = {}, .reserved = Reservation(context)};
  const Array<int64_t> ids = ReadInstanceIds(context, prim, base_time);
  const Array<int64_t> there = ReadInstanceIds(context, prim, time);
  const InstanceRates rates = FindInstanceRates(context, prim, base_time);
  const bool same = ids == there || rates.any();
  SD_ASSIGN_OR_RETURN(InstanceArrays arrays,
                      ReadInstanceArrays(context, prim, same ? time : base_time, base_time));
  const size_t count = arrays.proto_indices.size();
  constexpr size_t kBytesOfInstance = 2 * sizeof(Vec3f) + sizeof(Quatf);
  SD_RETURN_IF_ERROR(sample.reserved.Grow(count * kBytesOfInstance, "arrays of instances"));
  if (!same && ids.size() == count) {
    const auto moved = ReadInstanceArrays(context, prim, time, time);
    SD_RETURN_IF_ERROR(context.Check());
    if (moved.ok() && there.size() == moved->proto_indices.size()) {
      SD_RETURN_IF_ERROR(MoveInstances(context, ids, there, *moved, &arrays));
    }
  }
  sample.arrays = WithoutRates(std::move(arrays));
  return sample;
}

}  // namespace stagedoor

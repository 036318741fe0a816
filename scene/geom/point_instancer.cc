#include "scene/geom/point_instancer.h"

#include <algorithm>
#include <optional>
#include <span>
#include <string>
#include <unordered_set>
#include <utility>

#include "base/pacer.h"
#include "base/status_macros.h"
#include "scene/geom/attribute_values.h"
#include "scene/geom/geom_tokens.h"
#include "scene/geom/instance_transforms.h"
#include "scene/geom/moving_array_reader.h"
#include "scene/geom/xform_cache.h"
#include "scene/stage/property.h"
#include "scene/stage/stage.h"
#include "scene/values/list_op.h"
#include "scene/values/matrix.h"
#include "scene/values/quat.h"
#include "scene/values/quat_math.h"
#include "scene/values/vec.h"

namespace stagedoor {
namespace {

absl::Status Broken(const Prim& prim, std::string_view why) {
  return absl::FailedPreconditionError(prim.path().ToString().append(": ").append(why));
}

// The targets of `prototypes`. As in OpenUSD, there are no instances if one of them is outside of
// what an arc brings in: the indices would be those of other prototypes.
absl::StatusOr<std::vector<Path>> ReadPrototypes(RequestContext& context, const Prim& prim) {
  const Relationship prototypes = prim.GetRelationship(Geom().prototypes);
  if (!prototypes.valid()) return std::vector<Path>();
  auto targets = prototypes.CompleteTargets(context);
  SD_RETURN_IF_ERROR(context.Check());
  if (targets) return *std::move(targets);
  return Broken(prim, "a target of 'prototypes' is outside of the scope of its reference");
}

Array<Quatf> Widened(const Array<Quath>& halves) {
  Quatf* out;
  auto result = Array<Quatf>::Uninitialized(halves.size(), &out);
  for (size_t i = 0; i < halves.size(); ++i) out[i] = QuatCast<float>(halves[i]);
  return result;
}

// Orientations in float precision replace those in half precision if they are not empty at the
// earliest time, as in OpenUSD.
bool UsesFullOrientations(RequestContext& context, const Prim& prim) {
  if (!HasAuthoredValue(context, prim, Geom().orientationsf)) return false;
  const auto first =
      AttributeValueAs<Array<Quatf>>(context, prim, Geom().orientationsf, TimeCode::Earliest());
  return first && !first->empty();
}

bool ReadTurning(MovingArrayReader& reader, bool full, InstanceArrays* arrays,
                 double* sample_time) {
  if (full) {
    return reader.ReadMoving(Geom().orientationsf, Geom().angularVelocities, &arrays->orientations,
                             &arrays->angular_velocities, sample_time);
  }
  Array<Quath> halves;
  const bool turning = reader.ReadMoving(Geom().orientations, Geom().angularVelocities, &halves,
                                         &arrays->angular_velocities, sample_time);
  arrays->orientations = Widened(halves);
  return turning;
}

// Reads positions, orientations, scales and their rates of change. An array with rates is read at
// its sample at or before the base time, and so are all other arrays then. If no array has rates,
// all are read at `time` itself, or if the value there does not have the right length, at the
// sample.
InstanceArrays ReadMotion(RequestContext& context, const Prim& prim, TimeCode time, TimeCode base,
                          size_t count) {
  InstanceArrays arrays;
  MovingArrayReader reader(context, prim, base, count);
  double sample = 0;
  const bool moving = reader.ReadMoving(Geom().positions, Geom().velocities, &arrays.positions,
                                        &arrays.velocities, &sample);
  if (moving) {
    reader.ReadAccelerations(&arrays.accelerations);
    arrays.seconds = SecondsSince(prim, sample, time);
  }
  const bool full = UsesFullOrientations(context, prim);
  const bool turning = ReadTurning(reader, full, &arrays, &sample);
  if (turning) arrays.angular_seconds = SecondsSince(prim, sample, time);
  const auto read = [&]<typename T>(Token name, Array<T>* values) {
    std::optional<Array<T>> at_time;
    if (!moving && !turning) at_time = AttributeValueAs<Array<T>>(context, prim, name, time);
    *values = at_time && at_time->size() == count ? *at_time : reader.ReadHeld<T>(name);
  };
  // OpenUSD requires a value of positions at the base time, even if that at `time` is used.
  if (!moving && !reader.ReadHeld<Vec3f>(Geom().positions).empty()) {
    read(Geom().positions, &arrays.positions);
  }
  if (!turning && full) read(Geom().orientationsf, &arrays.orientations);
  if (!turning && !full) {
    Array<Quath> halves;
    read(Geom().orientations, &halves);
    arrays.orientations = Widened(halves);
  }
  read(Geom().scales, &arrays.scales);
  return arrays;
}

absl::StatusOr<InstanceArrays> ReadArrays(RequestContext& context, const Prim& prim, TimeCode time,
                                          TimeCode base, Array<int> proto_indices) {
  const size_t count = proto_indices.size();
  InstanceArrays arrays = ReadMotion(context, prim, time, base, count);
  arrays.proto_indices = std::move(proto_indices);
  if (arrays.positions.size() != count)
    return Broken(prim, "positions and protoIndices differ in length");
  // Surplus scales and orientations are ignored, as in OpenUSD.
  if (!arrays.scales.empty() && arrays.scales.size() < count) {
    return Broken(prim, "scales has fewer elements than protoIndices");
  }
  if (!arrays.orientations.empty() && arrays.orientations.size() < count) {
    return Broken(prim, "orientations has fewer elements than protoIndices");
  }
  return arrays;
}

std::vector<int64_t> InactiveIds(RequestContext& context, const Prim& prim) {
  std::vector<int64_t> ids;
  const Value value = prim.Metadata(context, Geom().inactiveIds);
  if (const auto* op = value.Get<ListOp<int64_t>>()) op->ApplyTo(&ids);
  return ids;
}

}  // namespace

std::vector<bool> ComputeInstanceMask(RequestContext& context, const Prim& prim, TimeCode time,
                                      size_t instances) {
  std::unordered_set<int64_t> hidden;
  Pacer pacer(context);
  Reservation reserved(context);
  constexpr int64_t kHiddenBytes = 48;  // size of one element of the set
  const auto hide = [&](std::span<const int64_t> some) {
    if (!reserved.Grow(some.size() * kHiddenBytes, "hidden instances").ok()) return;
    for (const int64_t id : some) {
      if (!pacer.Go()) return;
      hidden.insert(id);
    }
  };
  hide(InactiveIds(context, prim));
  const auto invisible = AttributeValueAs<Array<int64_t>>(context, prim, Geom().invisibleIds, time);
  if (invisible) hide(invisible->span());
  std::vector<bool> mask;
  if (hidden.empty()) return mask;
  const auto ids = AttributeValueAs<Array<int64_t>>(context, prim, Geom().ids, time);
  bool any = false;
  mask.resize(ids ? ids->size() : instances, true);
  for (size_t i = 0; i < mask.size(); ++i) {
    if (!pacer.Go()) return {};
    const int64_t id = ids ? (*ids)[i] : static_cast<int64_t>(i);
    if (!hidden.contains(id)) continue;
    mask[i] = false;
    any = true;
  }
  if (!any) mask.clear();
  return mask;
}

Array<int64_t> ReadInstanceIds(RequestContext& context, const Prim& prim, TimeCode time) {
  return AttributeArray<int64_t>(context, prim, Geom().ids, time);
}

absl::Status CheckProtoIndices(RequestContext& context, const Prim& prim, const Array<int>& indices,
                               size_t prototypes) {
  Pacer pacer(context);
  for (const int index : indices) {
    SD_RETURN_IF_ERROR(pacer.Step());
    if (index < 0 || static_cast<size_t>(index) >= prototypes) {
      return Broken(prim,
                    "protoIndices contains an index without a prototype: " + std::to_string(index));
    }
  }
  return absl::OkStatus();
}

absl::StatusOr<InstanceTransforms> ComputeInstanceTransforms(RequestContext& context,
                                                             const Prim& prim, TimeCode time,
                                                             TimeCode base_time,
                                                             const InstanceOptions& options) {
  InstanceTransforms result{.reserved = Reservation(context)};
  auto indices = AttributeValueAs<Array<int>>(context, prim, Geom().protoIndices, base_time);
  if (!indices) return Broken(prim, "protoIndices has no value");
  result.proto_indices = *indices;
  SD_ASSIGN_OR_RETURN(result.prototypes, ReadPrototypes(context, prim));
  if (indices->empty()) return result;
  if (result.prototypes.empty())
    return Broken(prim, "the relationship 'prototypes' has no targets");
  SD_RETURN_IF_ERROR(CheckProtoIndices(context, prim, *indices, result.prototypes.size()));
  Pacer pacer(context);
  SD_ASSIGN_OR_RETURN(const InstanceArrays arrays,
                      ReadArrays(context, prim, time, base_time, *indices));
  std::vector<Matrix4d> proto_transforms;
  if (options.include_proto_transform) {
    for (const Path& path : result.prototypes) {
      SD_RETURN_IF_ERROR(pacer.Step());
      const Prim prototype = prim.stage().FindPrim(path);
      proto_transforms.push_back(
          prototype.valid() ? XformQuery::Compile(context, prototype, time).LocalAt(context, time)
                            : Matrix4d::Identity());
    }
  }
  SD_RETURN_IF_ERROR(
      result.reserved.Grow(indices->size() * sizeof(Matrix4d), "transforms of instances"));
  result.transforms.resize(indices->size());
  constexpr size_t kAtOnce = 1024;  // instances between two checks of the request
  for (size_t first = 0; first < indices->size(); first += kAtOnce) {
    const size_t count = std::min(kAtOnce, indices->size() - first);
    SD_RETURN_IF_ERROR(pacer.Step(static_cast<int64_t>(count)));
    ComputeInstanceTransforms(arrays, proto_transforms, first,
                              std::span(result.transforms).subspan(first, count));
  }
  result.ids = ReadInstanceIds(context, prim, base_time);
  result.mask = ComputeInstanceMask(context, prim, base_time, indices->size());
  if (options.apply_mask) SD_RETURN_IF_ERROR(ApplyInstanceMask(prim, &result));
  return result;
}

absl::Status ApplyInstanceMask(const Prim& prim, InstanceTransforms* instances) {
  const std::vector<bool>& mask = instances->mask;
  if (mask.empty()) return absl::OkStatus();
  if (mask.size() != instances->transforms.size())
    return Broken(prim, "ids and protoIndices differ in length");
  size_t kept = 0;
  for (size_t i = 0; i < mask.size(); ++i) {
    if (mask[i]) instances->transforms[kept++] = instances->transforms[i];
  }
  instances->transforms.resize(kept);
  return absl::OkStatus();
}

absl::StatusOr<InstanceArrays> ReadInstanceArrays(RequestContext& context, const Prim& prim,
                                                  TimeCode time, TimeCode base_time) {
  auto indices = AttributeValueAs<Array<int>>(context, prim, Geom().protoIndices, base_time);
  if (!indices) return Broken(prim, "protoIndices has no value");
  if (indices->empty()) return InstanceArrays();
  return ReadArrays(context, prim, time, base_time, *std::move(indices));
}

InstanceRates FindInstanceRates(RequestContext& context, const Prim& prim, TimeCode base_time) {
  const auto indices = AttributeValueAs<Array<int>>(context, prim, Geom().protoIndices, base_time);
  if (!indices || indices->empty()) return {};
  const InstanceArrays arrays = ReadMotion(context, prim, base_time, base_time, indices->size());
  return {.velocities = !arrays.velocities.empty(),
          .accelerations = !arrays.accelerations.empty(),
          .angular_velocities = !arrays.angular_velocities.empty(),
          .full_orientations = UsesFullOrientations(context, prim)};
}

}  // namespace stagedoor

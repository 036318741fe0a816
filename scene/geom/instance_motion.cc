#include "scene/geom/instance_motion.h"

#include <cstdint>
#include <optional>
#include <unordered_map>

#include "base/pacer.h"
#include "base/status_macros.h"
#include "scene/geom/geom_tokens.h"
#include "scene/geom/point_based.h"
#include "scene/geom/xform_query.h"
#include "scene/stage/stage.h"

namespace stagedoor {
namespace {

absl::Status AddPrototypeMotion(RequestContext& context, const Prim& instancer,
                                MotionTimes* times) {
  const Relationship prototypes = instancer.GetRelationship(Geom().prototypes);
  if (!prototypes.valid()) return absl::OkStatus();
  Pacer pacer(context);
  for (const Path& path : prototypes.Targets()) {
    SD_RETURN_IF_ERROR(pacer.Step());
    const Prim root = instancer.stage().FindPrim(path);
    if (!root.valid()) continue;
    std::optional<XformQuery> own;
    const XformQuery& query = XformTable::Of(root.stage()).Find(context, root, &own);
    SD_RETURN_IF_ERROR(query.AddMotionTimes(context, root, times));
  }
  return absl::OkStatus();
}

Token RateName(const InstanceRates& rates) {
  if (rates.angular_velocities) return Geom().angularVelocities;
  return rates.accelerations ? Geom().accelerations : Geom().velocities;
}

}  // namespace

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
      if (place != places.end()) result.transforms[i] = moved->transforms[place->second];
    }
  }
  if (options.apply_mask) SD_RETURN_IF_ERROR(ApplyInstanceMask(prim, &result));
  return result;
}

}  // namespace stagedoor

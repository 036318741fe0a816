#include "scene/lod/lod_heuristic.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <span>

#include "base/pacer.h"
#include "scene/geom/attribute_values.h"
#include "scene/lod/lod_thresholds.h"
#include "scene/lod/lod_tokens.h"
#include "scene/stage/property.h"
#include "scene/stage/stage.h"
#include "scene/values/matrix_math.h"
#include "scene/values/vec_math.h"

namespace stagedoor {
namespace {

constexpr int64_t kStepsPerTarget = 8;
// UsdLod takes transforms with smaller determinants not to be invertible.
constexpr double kMinDeterminant = 1e-10;

// The extent of the first target that has one.
std::optional<Range3d> BoundingVolume(RequestContext& context, const Prim& prim, BBoxCache& cache) {
  const Relationship volumes = prim.GetRelationship(Lod().boundingVolume);
  if (!volumes.valid()) return std::nullopt;
  Pacer pacer(context);
  for (const Path target : volumes.ForwardedTargets(context)) {
    if (!pacer.Go(kStepsPerTarget)) return std::nullopt;
    if (target.IsProperty()) continue;
    const Prim volume = prim.stage().FindPrim(target);
    if (!volume.valid()) continue;
    const auto extent = ComputeExtent(context, volume, cache, /*in_prototype=*/false);
    if (extent) return extent;
  }
  return std::nullopt;
}

Range3d OwnExtent(RequestContext& context, const Prim& prim, TimeCode time) {
  const auto corners = AttributeValueAs<Array<Vec3f>>(context, prim, Lod().extent, time);
  if (!corners || corners->size() != 2) return Range3d();
  return {VecCast<double>((*corners)[0]), VecCast<double>((*corners)[1])};
}

}  // namespace

std::optional<LodHeuristicKind> LodHeuristicKindOf(const Prim& prim) {
  if (prim.IsA(Lod().LODDistanceHeuristic)) return LodHeuristicKind::kDistance;
  if (prim.IsA(Lod().LODScreenSizeHeuristic)) return LodHeuristicKind::kScreenSize;
  return std::nullopt;
}

LodHeuristic ReadLodHeuristic(RequestContext& context, const Prim& prim, BBoxCache& cache) {
  const TimeCode time = cache.time();
  LodHeuristic found;
  found.kind = LodHeuristicKindOf(prim).value_or(LodHeuristicKind::kDistance);
  found.domain = AttributeValueAs<Token>(context, prim, Lod().lod_domain, time).value_or(Token());
  found.thresholds = AttributeArray<float>(context, prim, Lod().thresholds, time);
  found.blend_thresholds = AttributeArray<float>(context, prim, Lod().blendThresholds, time);
  const auto volume = BoundingVolume(context, prim, cache);
  if (found.kind == LodHeuristicKind::kDistance) {
    found.extent = volume.value_or(Range3d());
    found.center =
        AttributeValueAs<Vec3f>(context, prim, Lod().center, time).value_or(Vec3f{0, 0, 0});
  } else {
    found.extent = volume ? *volume : OwnExtent(context, prim, time);
    found.projection_method = AttributeValueAs<Token>(context, prim, Lod().projectionMethod, time)
                                  .value_or(Lod().projectedSphere);
  }
  return found;
}

double LodDistance(const LodHeuristic& heuristic, const Vec3d& viewpoint,
                   const Matrix4d& local_to_world) {
  Vec3d closest = VecCast<double>(heuristic.center);
  double determinant = 0;
  const Matrix4d to_local = Inverse(local_to_world, &determinant);
  if (!heuristic.extent.empty() && std::fabs(determinant) > kMinDeterminant) {
    closest = Transform(viewpoint, to_local);
    for (size_t axis = 0; axis < 3; ++axis) {
      closest[axis] =
          std::min(std::max(closest[axis], heuristic.extent.min[axis]), heuristic.extent.max[axis]);
    }
  }
  return Length(Transform(closest, local_to_world) - viewpoint);
}

std::optional<double> LodScreenSize(const LodHeuristic& heuristic, const ViewVolume& view,
                                    const Matrix4d& local_to_world) {
  if (heuristic.extent.empty()) return 0;
  if (heuristic.projection_method == Lod().projectedSphere) {
    return view.SphereSize(heuristic.extent, local_to_world);
  }
  if (heuristic.projection_method == Lod().projectedExtent) {
    return view.ExtentSize(heuristic.extent, local_to_world);
  }
  return std::nullopt;
}

float LevelOf(const LodHeuristic& heuristic, double measure) {
  const LodOrder order =
      heuristic.kind == LodHeuristicKind::kDistance ? LodOrder::kAscending : LodOrder::kDescending;
  return LodLevel(measure, heuristic.thresholds.span(), heuristic.blend_thresholds.span(), order);
}

}  // namespace stagedoor

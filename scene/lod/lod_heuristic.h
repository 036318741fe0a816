#ifndef STAGEDOOR_SCENE_LOD_LOD_HEURISTIC_H_
#define STAGEDOOR_SCENE_LOD_LOD_HEURISTIC_H_

#include <cstdint>
#include <optional>

#include "base/request_context.h"
#include "scene/geom/bbox_cache.h"
#include "scene/lod/view_volume.h"
#include "scene/paths/token.h"
#include "scene/stage/prim.h"
#include "scene/values/array.h"
#include "scene/values/matrix.h"
#include "scene/values/vec.h"

namespace stagedoor {

// The heuristics that recommend levels of detail. Correspond to OpenUSD's
// UsdLodDistanceHeuristicQuery and UsdLodScreenSizeHeuristicQuery.

enum class LodHeuristicKind : uint8_t { kDistance, kScreenSize };

// The kind of a heuristic; nothing for prims of other types.
std::optional<LodHeuristicKind> LodHeuristicKindOf(const Prim& prim);

// The values of a LODDistanceHeuristic or LODScreenSizeHeuristic at one time.
struct LodHeuristic {
  LodHeuristicKind kind = LodHeuristicKind::kDistance;
  Token domain;
  Array<float> thresholds;
  Array<float> blend_thresholds;
  // In the space of the LOD root. Empty if there is none: then a distance is that to `center`.
  Range3d extent;
  Vec3f center{0, 0, 0};
  Token projection_method;  // of sizes
};

// Reads a heuristic at the time of `cache`, which computes the extent of its bounding volume. The
// prim must have a kind.
LodHeuristic ReadLodHeuristic(RequestContext& context, const Prim& prim, BBoxCache& cache);

// The distance in world space from a point to the LOD root with this transform.
double LodDistance(const LodHeuristic& heuristic, const Vec3d& viewpoint,
                   const Matrix4d& local_to_world);

// The share of the window that the LOD root covers. Nothing for an unknown projection method,
// unless the extent is empty and the size 0 anyway.
std::optional<double> LodScreenSize(const LodHeuristic& heuristic, const ViewVolume& view,
                                    const Matrix4d& local_to_world);

// The level for a distance or a size, not limited to those that exist.
float LevelOf(const LodHeuristic& heuristic, double measure);

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_LOD_LOD_HEURISTIC_H_

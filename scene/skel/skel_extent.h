#ifndef STAGEDOOR_SCENE_SKEL_SKEL_EXTENT_H_
#define STAGEDOOR_SCENE_SKEL_SKEL_EXTENT_H_

#include <optional>

#include "base/request_context.h"
#include "scene/geom/bbox3d.h"
#include "scene/stage/prim.h"
#include "scene/value_resolution/time_code.h"

namespace stagedoor {

// Extents of SkelRoot and Skeleton prims, for BBoxCacheOptions::other_extents. Correspond to the
// extent functions that OpenUSD registers for UsdSkelRoot and UsdSkelSkeleton
// (UsdGeomBoundable::ComputeExtentFromPlugins).

// The extent of the joints at `time`, in the space of the prim: of a Skeleton its own; of a
// SkelRoot those of the skeletons bound below it, each padded by how far the prims bound to it
// extend beyond it at rest, or else those of all skeletons below it. None for other prims, for a
// Skeleton that is invalid or not posed, and for a SkelRoot if one of these skeletons is invalid;
// an empty range for a SkelRoot without posed skeletons.
std::optional<Range3d> ComputeSkelExtent(RequestContext& context, const Prim& prim, TimeCode time);

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_SKEL_SKEL_EXTENT_H_

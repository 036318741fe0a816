// Extents of SkelRoot and Skeleton prims, for BBoxCacheOptions::other_extents.
#ifndef STAGEDOOR_SCENE_SKEL_SKEL_EXTENT_H_
#define STAGEDOOR_SCENE_SKEL_SKEL_EXTENT_H_

#include <optional>

#include "base/request_context.h"
#include "scene/geom/bbox3d.h"
#include "scene/stage/prim.h"
#include "scene/value_resolution/time_code.h"

namespace stagedoor {

// The extent of joints: of a Skeleton its own; of a SkelRoot those of all skeletons that prims
// below it are bound to, grown by how far prims at rest reach beyond them. None for other prims,
// and where nothing is bound or posed.
std::optional<Range3d> ComputeSkelExtent(RequestContext& context, const Prim& prim, TimeCode time);

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_SKEL_SKEL_EXTENT_H_

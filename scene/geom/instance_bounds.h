#ifndef STAGEDOOR_SCENE_GEOM_INSTANCE_BOUNDS_H_
#define STAGEDOOR_SCENE_GEOM_INSTANCE_BOUNDS_H_

#include <cstdint>
#include <span>

#include "absl/status/status.h"
#include "base/request_context.h"
#include "scene/geom/bbox3d.h"
#include "scene/geom/bbox_cache.h"
#include "scene/stage/prim.h"
#include "scene/value_resolution/time_code.h"

namespace stagedoor {

// Bounds of single instances of point instancers. Correspond to OpenUSD's
// UsdGeomBBoxCache::ComputePointInstanceUntransformedBounds.

// Computes the bound of each of `instances`, which are indices into the instancer's protoIndices,
// in the instancer's space: that of the prototype, with the purposes and options of `cache`, moved
// by the instance's transform at the time of `cache` and `base_time` (see
// ComputeInstanceTransforms). As in OpenUSD, its prototype is that of protoIndices at the time of
// `cache`, if they have as many elements then. Masked instances have bounds as well. `bounds` has
// an element for each of `instances`; it remains empty for an instance that the instancer does not
// have.
//
// Errors: those of ComputeInstanceTransforms, without those of masks, and FAILED_PRECONDITION for
// protoIndices at the time of `cache` that have no value or no prototypes.
absl::Status ComputeInstanceBounds(RequestContext& context, const Prim& instancer,
                                   TimeCode base_time, std::span<const uint32_t> instances,
                                   BBoxCache& cache, std::span<BBox3d> bounds);

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_GEOM_INSTANCE_BOUNDS_H_

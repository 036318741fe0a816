#ifndef STAGEDOOR_SCENE_GEOM_EXTENTS_HINT_H_
#define STAGEDOOR_SCENE_GEOM_EXTENTS_HINT_H_

#include <vector>

#include "base/request_context.h"
#include "scene/geom/bbox_cache.h"
#include "scene/stage/prim.h"
#include "scene/values/vec.h"

namespace stagedoor {

// The attribute extentsHint that models could have. Corresponds to OpenUSD's
// UsdGeomModelAPI::ComputeExtentsHint.

// The minimum and the maximum of the prim and its descendants of the purposes default, render,
// proxy and guide, in this order, in the prim's space, with the options of `cache` besides its
// purposes. Empty ranges after the last purpose that has something to bound are left out, but not
// that of default. An empty range is from FLT_MAX to -FLT_MAX. As in OpenUSD, a boundable prim has
// the extent that is computed from its other attributes for each purpose, whatever its purpose is;
// an empty range if none can be.
std::vector<Vec3f> ComputeExtentsHint(RequestContext& context, const Prim& prim, BBoxCache& cache);

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_GEOM_EXTENTS_HINT_H_

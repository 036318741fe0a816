#ifndef STAGEDOOR_SCENE_GEOM_BOUNDABLE_H_
#define STAGEDOOR_SCENE_GEOM_BOUNDABLE_H_

#include <optional>

#include "base/request_context.h"
#include "scene/geom/bbox3d.h"
#include "scene/geom/bbox_cache.h"
#include "scene/stage/prim.h"

namespace stagedoor {

// As ComputeExtent, regardless of whether an extent is authored. Corresponds to OpenUSD's
// UsdGeomBoundable::ComputeExtentFromPlugins.
std::optional<Range3d> ComputeExtentFromType(RequestContext& context, const Prim& prim,
                                             BBoxCache& cache, bool in_prototype);

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_GEOM_BOUNDABLE_H_

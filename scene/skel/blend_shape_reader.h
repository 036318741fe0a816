#ifndef STAGEDOOR_SCENE_SKEL_BLEND_SHAPE_READER_H_
#define STAGEDOOR_SCENE_SKEL_BLEND_SHAPE_READER_H_

#include <string>
#include <vector>

#include "base/request_context.h"
#include "scene/skel/blend_shape.h"
#include "scene/stage/prim.h"

namespace stagedoor {

// Reads blend shapes from prims of a stage. Corresponds to OpenUSD's UsdSkelBlendShape and
// UsdSkelInbetweenShape.

// The shape with its in-betweens, at default time. If `prim` is not a blend shape, the result has
// no sub-shapes and `warnings` gets a line; malformed in-betweens are left out with a line each.
BlendShape ReadBlendShape(RequestContext& context, const Prim& prim,
                          std::vector<std::string>* warnings);

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_SKEL_BLEND_SHAPE_READER_H_

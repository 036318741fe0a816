#ifndef STAGEDOOR_SCENE_SKEL_PACKED_SHAPES_H_
#define STAGEDOOR_SCENE_SKEL_PACKED_SHAPES_H_

#include <cstddef>
#include <span>

#include "absl/status/statusor.h"
#include "base/request_context.h"
#include "scene/skel/blend_shape.h"
#include "scene/values/array.h"
#include "scene/values/vec.h"

namespace stagedoor {

// The offsets of blend shapes by point instead of by shape, so that points can be computed
// independently of each other. Corresponds to UsdSkelBlendShapeQuery::ComputePackedShapeTable.
struct PackedShapeTable {
  // The offsets of the points, ascending by point and then by sub-shape. The last component is the
  // number of the sub-shape among those of all shapes.
  Array<Vec4f> offsets;
  // For each point, the position of its first offset and that after its last one.
  Array<Vec2i> ranges;
};

// The table of `points` points. Sub-shapes that do not fit them, and therefore are never applied,
// are left out. Errors: those of the context, and RESOURCE_EXHAUSTED for more than 2^31 offsets.
absl::StatusOr<PackedShapeTable> ComputePackedShapeTable(RequestContext& context,
                                                         std::span<const BlendShape> shapes,
                                                         size_t points);

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_SKEL_PACKED_SHAPES_H_

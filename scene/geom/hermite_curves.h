#ifndef STAGEDOOR_SCENE_GEOM_HERMITE_CURVES_H_
#define STAGEDOOR_SCENE_GEOM_HERMITE_CURVES_H_

#include "absl/status/statusor.h"
#include "base/request_context.h"
#include "scene/stage/prim.h"
#include "scene/value_resolution/time_code.h"
#include "scene/values/array.h"
#include "scene/values/vec.h"

namespace stagedoor {

// The vertices of HermiteCurves. Corresponds to OpenUSD's UsdGeomHermiteCurves. Thread-safe.

// Corresponds to OpenUSD's UsdGeomHermiteCurves::PointAndTangentArrays.
struct PointAndTangentArrays {
  Array<Vec3f> points;
  Array<Vec3f> tangents;
};

// Errors: FAILED_PRECONDITION if there are not as many tangents as points; those of the context.
absl::StatusOr<PointAndTangentArrays> ReadPointsAndTangents(RequestContext& context,
                                                            const Prim& curves, TimeCode time);

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_GEOM_HERMITE_CURVES_H_

#include "scene/geom/hermite_curves.h"

#include "base/status.h"
#include "base/status_macros.h"
#include "scene/geom/attribute_values.h"
#include "scene/geom/geom_tokens.h"

namespace stagedoor {

absl::StatusOr<PointAndTangentArrays> ReadPointsAndTangents(RequestContext& context,
                                                            const Prim& curves, TimeCode time) {
  PointAndTangentArrays arrays{AttributeArray<Vec3f>(context, curves, Geom().points, time),
                               AttributeArray<Vec3f>(context, curves, Geom().tangents, time)};
  SD_RETURN_IF_ERROR(context.Check());
  if (arrays.points.size() != arrays.tangents.size()) {
    return FailedPreconditionError("the number of points is ", arrays.points.size(),
                                   ", but the number of tangents is ", arrays.tangents.size());
  }
  return arrays;
}

}  // namespace stagedoor

#ifndef STAGEDOOR_SCENE_GEOM_BASIS_CURVES_H_
#define STAGEDOOR_SCENE_GEOM_BASIS_CURVES_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "base/request_context.h"
#include "base/reservation.h"
#include "scene/paths/token.h"
#include "scene/stage/prim.h"
#include "scene/value_resolution/time_code.h"

namespace stagedoor {

// The topology of BasisCurves. Corresponds to OpenUSD's UsdGeomBasisCurves.

// The number of segments of each curve: negative for a curve that has too few vertices. Empty if
// the type, the basis or the wrap of the curves is unknown. Corresponds to OpenUSD's
// UsdGeomBasisCurves::ComputeSegmentCounts. Incomplete once the request is over. `reserved`
// gets the reservation for the result.
std::vector<int> ComputeSegmentCounts(RequestContext& context, const Prim& curves, TimeCode time,
                                      Reservation* reserved);

// How many values the curves need for each interpolation. As in OpenUSD, the numbers wrap around
// for curves that have too few vertices.
struct CurveDataSizes {
  uint64_t uniform = 0;
  // Nothing if the curves are cubic and have an unknown basis: OpenUSD divides by zero.
  std::optional<uint64_t> varying = 0;
  uint64_t vertex = 0;
};

// Corresponds to OpenUSD's UsdGeomBasisCurves::ComputeUniformDataSize, ComputeVaryingDataSize and
// ComputeVertexDataSize. Unlike ComputeSegmentCounts, reads the type, the basis and the wrap at
// `time`, and curves with an unknown wrap are periodic. Incomplete once the request is over.
CurveDataSizes ComputeCurveDataSizes(RequestContext& context, const Prim& curves, TimeCode time);

// "constant", "uniform", "varying" or "vertex", the first for which curves need `count` values;
// empty if there is none. Corresponds to OpenUSD's UsdGeomBasisCurves::ComputeInterpolationForSize.
Token ComputeInterpolationForSize(const CurveDataSizes& sizes, uint64_t count);

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_GEOM_BASIS_CURVES_H_

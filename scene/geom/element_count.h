#ifndef STAGEDOOR_SCENE_GEOM_ELEMENT_COUNT_H_
#define STAGEDOOR_SCENE_GEOM_ELEMENT_COUNT_H_

#include <cstddef>

#include "base/request_context.h"
#include "scene/paths/token.h"
#include "scene/stage/prim.h"
#include "scene/value_resolution/time_code.h"

namespace stagedoor {

// The types of geometry whose topology can be asked for, and how many elements they have.
// Thread-safe.

// The schema that the prim is of, among Mesh, TetMesh, BasisCurves, HermiteCurves, NurbsCurves,
// NurbsPatch, Points and PointInstancer, also if its type derives from it; empty for other prims.
Token TopologySchema(const Prim& prim);

// The number of faces, tetrahedra, curves, points or instances of a prim of that schema; 0 of a
// NurbsPatch. Corresponds to OpenUSD's UsdGeomMesh::GetFaceCount, UsdGeomCurves::GetCurveCount,
// UsdGeomPoints::GetPointCount and UsdGeomPointInstancer::GetInstanceCount.
size_t ElementCount(RequestContext& context, const Prim& prim, Token schema, TimeCode time);

// The number of elements of the attribute `points`; 0 if it has no value.
size_t PointCount(RequestContext& context, const Prim& prim, TimeCode time);

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_GEOM_ELEMENT_COUNT_H_

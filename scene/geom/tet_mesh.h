#ifndef STAGEDOOR_SCENE_GEOM_TET_MESH_H_
#define STAGEDOOR_SCENE_GEOM_TET_MESH_H_

#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "base/request_context.h"
#include "base/reservation.h"
#include "scene/stage/prim.h"
#include "scene/value_resolution/time_code.h"
#include "scene/values/vec.h"

namespace stagedoor {

// Queries of the tetrahedra of a TetMesh. Corresponds to OpenUSD's UsdGeomTetMesh. Thread-safe.

struct SurfaceFaces {
  std::vector<Vec3i> faces;
  Reservation reserved;  // reservation for the faces
};

// The triangles that belong to exactly one tetrahedron, sorted. Their vertices are in the order in
// which that tetrahedron has them; whether points have these indices does not matter. Corresponds
// to OpenUSD's UsdGeomTetMesh::ComputeSurfaceFaces. Errors: those of the context.
absl::StatusOr<SurfaceFaces> ComputeSurfaceFaces(RequestContext& context, const Prim& tet_mesh,
                                                 TimeCode time);

struct InvertedElements {
  std::vector<int> elements;
  Reservation reserved;  // reservation for the elements
};

// The indices of the tetrahedra that are inside out: the normal of one of their sides points to
// their center, because their vertices are in the other order than the attribute orientation says
// at default time. Whether flat tetrahedra are among them depends on rounding. Tetrahedra with
// vertices that do not exist, for which OpenUSD reads beyond the end of the points, are not among
// them. Corresponds to OpenUSD's UsdGeomTetMesh::FindInvertedElements. Errors: those of the
// context.
absl::StatusOr<InvertedElements> FindInvertedElements(RequestContext& context, const Prim& tet_mesh,
                                                      TimeCode time);

// Whether all vertices of tetrahedra exist. Errors: FAILED_PRECONDITION with the first one that
// does not; those of the context.
absl::Status ValidateTetMeshTopology(RequestContext& context, const Prim& tet_mesh, TimeCode time);

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_GEOM_TET_MESH_H_

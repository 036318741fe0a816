#ifndef STAGEDOOR_SCENE_GEOM_MESH_TOPOLOGY_H_
#define STAGEDOOR_SCENE_GEOM_MESH_TOPOLOGY_H_

#include "absl/status/status.h"
#include "base/request_context.h"
#include "scene/stage/prim.h"
#include "scene/value_resolution/time_code.h"

namespace stagedoor {

// The faces of a Mesh. Corresponds to OpenUSD's UsdGeomMesh. Thread-safe.

// Whether the counts of vertices add up to the number of indices, and all indices are those of
// points. Counts may be negative if the sum is right, as in OpenUSD's
// UsdGeomMesh::ValidateTopology, whose sum overflows, however. Errors: FAILED_PRECONDITION with the
// first problem; those of the context.
absl::Status ValidateMeshTopology(RequestContext& context, const Prim& mesh, TimeCode time);

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_GEOM_MESH_TOPOLOGY_H_

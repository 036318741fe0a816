#ifndef STAGEDOOR_SCENE_GEOM_GEOM_SUBSET_H_
#define STAGEDOOR_SCENE_GEOM_GEOM_SUBSET_H_

#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "base/request_context.h"
#include "base/reservation.h"
#include "scene/stage/prim.h"
#include "scene/stage/prim_flags.h"
#include "scene/value_resolution/time_code.h"

namespace stagedoor {

// Subsets of the faces, points and so on of prims, and the families that they are in. Corresponds
// to OpenUSD's UsdGeomSubset. Thread-safe.
struct GeomSubset {
  Prim prim;
  Token element_type;  // "face", "point", "edge", "segment" or "tetrahedron", or another token
  Token family_name;   // may be empty
};

// The children of `geom` that pass `predicate` and are GeomSubsets of an element type and a family;
// of any if the token is empty. Incomplete once the request is over.
std::vector<GeomSubset> FindGeomSubsets(
    RequestContext& context, const Prim& geom, Token element_type = {}, Token family_name = {},
    PrimFlagsPredicate predicate = PrimFlagsPredicate::Default());

// "unrestricted" if none is authored, "partition", "nonOverlapping" or another authored token.
Token SubsetFamilyType(RequestContext& context, const Prim& geom, Token family_name);

struct UnassignedIndices {
  // Sorted. Of edges and segments, two numbers for each (SubsetElement).
  std::vector<int> indices;
  Reservation reserved;  // reservation for the indices
};

// The elements of `geom` that are in none of the subsets of an element type and a family. As in
// OpenUSD, edges and segments must be named in ascending order to be found: those that a subset
// names after a later one are among the results, too.
//
// Errors: FAILED_PRECONDITION if `geom` is not of a type with such elements; those of the context.
absl::StatusOr<UnassignedIndices> ComputeUnassignedIndices(RequestContext& context,
                                                           const Prim& geom, Token element_type,
                                                           Token family_name, TimeCode time);

// Whether the subsets of a family are what the family's type says, at default time and at all
// times at which their indices have samples: all of `element_type`, with indices of elements that
// exist, each in one subset at most unless the family is unrestricted, and each in one if it is a
// partition. Corresponds to OpenUSD's UsdGeomSubset::ValidateFamily, which compares the indices of
// edges with the number of edges, too.
//
// Errors: FAILED_PRECONDITION with the first problem; those of the context.
absl::Status ValidateSubsetFamily(RequestContext& context, const Prim& geom, Token element_type,
                                  Token family_name);

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_GEOM_GEOM_SUBSET_H_

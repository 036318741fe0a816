// Instances of a point instancer (UsdGeomPointInstancer). Thread-safe.
#ifndef STAGEDOOR_SCENE_GEOM_POINT_INSTANCER_H_
#define STAGEDOOR_SCENE_GEOM_POINT_INSTANCER_H_

#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "base/request_context.h"
#include "base/reserved_bytes.h"
#include "scene/stage/prim.h"
#include "scene/value_resolution/time.h"
#include "scene/values/array.h"
#include "scene/values/linear.h"

namespace stagedoor {

struct InstanceOptions {
  bool include_proto_transform = true;  // the prototype root's own local transform first
  bool apply_mask = true;               // leave out invisible and inactive instances
};

struct InstanceTransforms {
  std::vector<Matrix4d> transforms;  // in the instancer's space
  Array<int> proto_indices;          // of all instances, masked ones too
  std::vector<Path> prototypes;
  std::vector<bool> mask;  // empty: all instances are there; else by instance (or by id: see below)
  ReservedBytes reserved;  // for the transforms, as long as this is held
};

// At `time`, moved from the samples around `base_time` by velocities and angular velocities where
// they are authored at the same times as positions and orientations, else interpolated at `time`.
// FAILED_PRECONDITION where there are no indices, no prototypes, arrays of other sizes, an index
// out of range, or where some of another number of ids are hidden and the mask is applied; those of
// the context, in which the transforms are reserved.
absl::StatusOr<InstanceTransforms> ComputeInstanceTransforms(RequestContext& context,
                                                             const Prim& instancer, Time time,
                                                             Time base_time,
                                                             const InstanceOptions& options = {});

// By id, or instance where there are no ids: false where it is in invisibleIds or inactiveIds;
// empty when none is.
std::vector<bool> ComputeInstanceMask(RequestContext& context, const Prim& instancer, Time time,
                                      size_t instances);

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_GEOM_POINT_INSTANCER_H_

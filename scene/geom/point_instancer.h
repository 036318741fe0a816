#ifndef STAGEDOOR_SCENE_GEOM_POINT_INSTANCER_H_
#define STAGEDOOR_SCENE_GEOM_POINT_INSTANCER_H_

#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "base/request_context.h"
#include "base/reservation.h"
#include "scene/geom/instance_transforms.h"
#include "scene/stage/prim.h"
#include "scene/value_resolution/time_code.h"
#include "scene/values/array.h"
#include "scene/values/matrix.h"

namespace stagedoor {

// The instances of a point instancer. Corresponds to OpenUSD's UsdGeomPointInstancer. Thread-safe.

struct InstanceOptions {
  bool include_proto_transform = true;  // apply the local transforms of the prototype roots
  bool apply_mask = true;               // leave out invisible and inactive instances
};

struct InstanceTransforms {
  std::vector<Matrix4d> transforms;  // in the instancer's space; without masked instances
  Array<int> proto_indices;          // for all instances, including masked ones
  std::vector<Path> prototypes;
  std::vector<bool> mask;  // as from ComputeInstanceMask
  // For all instances, including masked ones; empty if `ids` has no value at the base time.
  Array<int64_t> ids;
  Reservation reserved;  // reservation for the transforms
};

// Computes the transforms at `time`. Positions and orientations are advanced from the sample at or
// before `base_time` if velocities and angular velocities have samples at the same times; otherwise
// they are interpolated at `time`. Memory for the transforms is reserved in the context.
//
// Errors: FAILED_PRECONDITION if protoIndices or prototypes are missing, a prototype is outside of
// the scope of the reference that authors it, an index is out of range, an array does not match
// protoIndices in length, or the mask is to be applied but its length differs from that of
// protoIndices; those of the context.
absl::StatusOr<InstanceTransforms> ComputeInstanceTransforms(RequestContext& context,
                                                             const Prim& instancer, TimeCode time,
                                                             TimeCode base_time,
                                                             const InstanceOptions& options = {});

// FAILED_PRECONDITION if an index is not that of one of `prototypes`; errors of the context.
absl::Status CheckProtoIndices(RequestContext& context, const Prim& instancer,
                               const Array<int>& indices, size_t prototypes);

// The arrays from which ComputeInstanceTransforms computes instances: one element for each, also
// for masked ones. Errors: FAILED_PRECONDITION as above, but prototypes are not looked at.
absl::StatusOr<InstanceArrays> ReadInstanceArrays(RequestContext& context, const Prim& instancer,
                                                  TimeCode time, TimeCode base_time);

// Which arrays these are at a base time.
struct InstanceRates {
  bool velocities = false;
  bool accelerations = false;
  bool angular_velocities = false;
  bool full_orientations = false;  // reads orientationsf instead of orientations

  bool any() const { return velocities || angular_velocities; }
};
InstanceRates FindInstanceRates(RequestContext& context, const Prim& instancer, TimeCode base_time);

// Leaves out the transforms of masked instances. FAILED_PRECONDITION if the mask has another length
// than the instances.
absl::Status ApplyInstanceMask(const Prim& instancer, InstanceTransforms* instances);

// The attribute `ids`; empty if it has no value at `time`.
Array<int64_t> ReadInstanceIds(RequestContext& context, const Prim& instancer, TimeCode time);

// The mask of visible and active instances: false for an element of `ids`, or for an instance index
// if there are no ids, that is in invisibleIds or inactiveIds. Empty if no instance is masked.
// `instances` is the number of instances.
std::vector<bool> ComputeInstanceMask(RequestContext& context, const Prim& instancer, TimeCode time,
                                      size_t instances);

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_GEOM_POINT_INSTANCER_H_

#ifndef STAGEDOOR_SCENE_GEOM_INSTANCE_TRANSFORMS_H_
#define STAGEDOOR_SCENE_GEOM_INSTANCE_TRANSFORMS_H_

#include <span>
#include <vector>

#include "scene/values/array.h"
#include "scene/values/matrix.h"
#include "scene/values/quat.h"
#include "scene/values/vec.h"

namespace stagedoor {

// Computes the transforms of a point instancer's instances from its arrays, as OpenUSD's
// UsdGeomPointInstancer::ComputeInstanceTransformsAtTime does. Pure functions.

// `positions` has the size of `proto_indices`; each other array has that size too or is empty.
// Orientations and scales may be longer; surplus elements are ignored.
struct InstanceArrays {
  Array<int> proto_indices;
  Array<Vec3f> positions;
  Array<Vec3f> velocities;     // units per second
  Array<Vec3f> accelerations;  // units per second squared
  Array<Vec3f> scales;
  Array<Quatf> orientations;
  Array<Vec3f> angular_velocities;  // axis, with the length in degrees per second
  double seconds = 0;               // time since the sample of positions and velocities
  double angular_seconds = 0;       // time since that of orientations and angular velocities
};

// The transform of each instance in the instancer's space. Points are transformed in this order:
// the prototype's own transform, unless `proto_transforms` is empty; scale; orientation, advanced
// by the angular velocity; position, advanced by velocity and acceleration. `proto_indices` must be
// valid for `proto_transforms` unless that is empty.
std::vector<Matrix4d> ComputeInstanceTransforms(const InstanceArrays& arrays,
                                                std::span<const Matrix4d> proto_transforms);
// As above, for the instances from `first` on, as many as `out` holds.
void ComputeInstanceTransforms(const InstanceArrays& arrays,
                               std::span<const Matrix4d> proto_transforms, size_t first,
                               std::span<Matrix4d> out);

// The instances where they are at the time, without rates of change: positions are the same that
// the transforms have, orientations are rounded to floats.
InstanceArrays WithoutRates(InstanceArrays arrays);

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_GEOM_INSTANCE_TRANSFORMS_H_

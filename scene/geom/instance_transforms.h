// The transforms of a point instancer's instances, from its arrays. Pure functions.
#ifndef STAGEDOOR_SCENE_GEOM_INSTANCE_TRANSFORMS_H_
#define STAGEDOOR_SCENE_GEOM_INSTANCE_TRANSFORMS_H_

#include <span>
#include <vector>

#include "scene/values/array.h"
#include "scene/values/linear.h"

namespace stagedoor {

// All arrays but the indices may be empty; the others have the size of `proto_indices`.
struct InstanceArrays {
  Array<int> proto_indices;
  Array<Vec3f> positions;
  Array<Vec3f> velocities;     // a second
  Array<Vec3f> accelerations;  // a second squared
  Array<Vec3f> scales;
  Array<Quatf> orientations;
  Array<Vec3f> angular_velocities;  // axis times degrees a second
  double seconds = 0;               // since the sample of positions and velocities
  double angular_seconds = 0;       // since the sample of orientations and angular velocities
};

// For each instance: scale, orientation (turned on by the angular velocity), then the position
// moved by velocity and acceleration; before them the prototype's own transform where
// `proto_transforms` are given. Indices must be within `proto_transforms` then.
std::vector<Matrix4d> ComputeInstanceTransforms(const InstanceArrays& arrays,
                                                std::span<const Matrix4d> proto_transforms);
// The same of the instances from `first` on, as many as fit into `out`.
void ComputeInstanceTransforms(const InstanceArrays& arrays,
                               std::span<const Matrix4d> proto_transforms, size_t first,
                               std::span<Matrix4d> out);

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_GEOM_INSTANCE_TRANSFORMS_H_

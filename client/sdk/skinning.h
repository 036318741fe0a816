#ifndef STAGEDOOR_CLIENT_SDK_SKINNING_H_
#define STAGEDOOR_CLIENT_SDK_SKINNING_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "client/sdk/array.h"
#include "client/sdk/value_types.h"
#include "stagedoor/v1/skel.pb.h"

namespace stagedoor::sdk {

// Which joints move the points of a prim. Copies are cheap.
struct JointInfluences {
  // The number of influences of each point or, if they are constant, of the prim; 0 if there are
  // none that can be used.
  size_t per_component = 0;
  bool constant = false;
  // Whether an index is not one of a joint. OpenUSD does not skin such a prim.
  bool out_of_range = false;
  Array<int32_t> indices;
  Array<float> weights;
};

// The pose of a skinned prim at one time; v1::SkinningItem says how it deforms the prim. Copies are
// cheap.
struct SkinningPose {
  uint32_t time_index = 0;  // of the time, in the request
  // In the order of the skeleton's joints; empty without a pose. Prims of a skeleton share it.
  Array<Matrix4d> skinning_transforms;
  Matrix4d skeleton_to_prim{};
  // They seldom vary over time.
  Matrix4d geom_bind_transform{};
  JointInfluences influences;
  Array<float> blend_shape_weights;
  // The sub-shapes that these put into effect.
  Array<float> sub_shape_weights;
  Array<uint32_t> blend_shape_indices;
  Array<uint32_t> sub_shape_indices;
  // All that the daemon says about the prim at this time.
  std::shared_ptr<const v1::SkinningItem> message;
};

// The skinning data of a prim, for programs that deform it themselves, on a GPU for example. Copies
// are cheap.
struct Skinning {
  std::string path;
  // Why there is nothing else: PRIM_NOT_FOUND, INVALID_PATH or WRONG_KIND; otherwise OK.
  absl::Status status;
  // For each joint that indices of influences refer to, the index of the skeleton's joint or -1.
  // Empty if they refer to the skeleton's joints.
  Array<int32_t> joint_mapping;
  Array<Matrix4d> inverse_bind_transforms;  // of the skeleton's joints
  // The method, names of joints, and blend shapes; null if there is a status.
  std::shared_ptr<const v1::SkinningBinding> binding;
  std::shared_ptr<const v1::SkinningSkeleton> skeleton;
  std::vector<SkinningPose> poses;  // one for each time
};

}  // namespace stagedoor::sdk

#endif  // STAGEDOOR_CLIENT_SDK_SKINNING_H_

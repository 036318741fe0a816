#ifndef STAGEDOOR_SCENE_SKEL_SKELETON_QUERY_H_
#define STAGEDOOR_SCENE_SKEL_SKELETON_QUERY_H_

#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "absl/status/statusor.h"
#include "base/request_context.h"
#include "scene/skel/anim_mapper.h"
#include "scene/skel/joint_topology.h"
#include "scene/stage/attribute_query.h"
#include "scene/stage/prim.h"
#include "scene/values/array.h"
#include "scene/values/matrix.h"

namespace stagedoor {

class SourceSink;

class AnimQuery {
 public:
  // None unless `prim` is an active SkelAnimation.
  static std::optional<AnimQuery> Compile(RequestContext& context, const Prim& prim);

  const Prim& prim() const { return prim_; }
  const Array<Token>& joint_order() const { return joint_order_; }
  const Array<Token>& blend_shape_order() const { return blend_shape_order_; }

  // Reads the joint-local transforms at `time`, which are in joint_order(), and writes each to its
  // place in `out` according to `mapper`; other elements keep their value. False if translations,
  // rotations or scales are missing or their number differs from that of the joints. Corresponds to
  // UsdSkelAnimQuery::ComputeJointLocalTransforms.
  bool ReadJointTransforms(RequestContext& context, TimeCode time, const AnimMapper& mapper,
                           std::vector<Matrix4d>* out) const;
  bool has_blend_shape_weights() const { return weights_.HasAuthoredValue(); }
  // The weights at `time`, in blend_shape_order(). Corresponds to
  // UsdSkelAnimQuery::ComputeBlendShapeWeights.
  std::optional<Array<float>> BlendShapeWeights(RequestContext& context, TimeCode time) const;
  // The sample times of all attributes that it reads, ascending.
  Array<double> SampleTimes(RequestContext& context) const;
  // Adds the sources of these attributes, of the weights of blend shapes only if `with_weights` is
  // set. `prim` is prim(), or one that shares it.
  absl::Status AddSources(RequestContext& context, const Prim& prim, bool with_weights,
                          SourceSink* sink) const;

 private:
  Prim prim_;
  Array<Token> joint_order_;
  Array<Token> blend_shape_order_;
  AttributeQuery translations_, rotations_, scales_, weights_;
};

// A Skeleton prim with the animation bound to it; AnimQuery: that animation. Correspond to
// UsdSkelSkeletonQuery (with its UsdSkel_SkelDefinition) and UsdSkelAnimQuery.
//
// Spaces: joint-local (relative to the parent joint), skeleton (that of the Skeleton prim), world.
// Transforms are for row vectors.
//
// Immutable and thread-safe; valid as long as the stage snapshot. What does not vary over time is
// read once.
class SkeletonQuery {
 public:
  // FAILED_PRECONDITION unless `prim` is an active Skeleton that lists parent joints before their
  // children; also errors of the context.
  static absl::StatusOr<std::shared_ptr<const SkeletonQuery>> Compile(RequestContext& context,
                                                                      const Prim& prim);

  const Prim& prim() const { return prim_; }
  const Array<Token>& joint_order() const { return joint_order_; }
  const JointTopology& topology() const { return topology_; }
  // The bound animation; null if there is none.
  const AnimQuery* animation() const { return animation_ ? &*animation_ : nullptr; }
  // Whether the animation moves any joint of this skeleton.
  bool IsAnimated() const { return animation_ && !to_skeleton_.IsNull(); }
  // Whether an animation or rest transforms are authored, even if they are not usable.
  bool IsPosed() const { return IsAnimated() || rest_authored_; }

  // Joint-local transforms in joint_order(); `at_rest` ignores the animation. None if a rest pose
  // is needed but missing. Corresponds to UsdSkelSkeletonQuery::ComputeJointLocalTransforms.
  std::optional<std::vector<Matrix4d>> JointLocalTransforms(RequestContext& context, TimeCode time,
                                                            bool at_rest = false) const;
  // The transforms of the joints in skeleton space, or transformed further by `root`. Corresponds
  // to ComputeJointSkelTransforms, and with the world transform as `root` to
  // ComputeJointWorldTransforms.
  std::optional<std::vector<Matrix4d>> JointSkelTransforms(RequestContext& context, TimeCode time,
                                                           bool at_rest = false,
                                                           const Matrix4d* root = nullptr) const;
  // The transforms that take points from the bind pose to the pose, in skeleton space. None also
  // without a bind pose. Corresponds to ComputeSkinningTransforms.
  std::optional<std::vector<Matrix4d>> SkinningTransforms(RequestContext& context,
                                                          TimeCode time) const;
  // Whether there are as many bind transforms as joints.
  bool has_bind_pose() const { return has_bind_pose_; }
  // The inverses of the bind transforms, which take points from world space to each joint's space.
  const std::vector<Matrix4d>& InverseBindTransforms() const;

 private:
  SkeletonQuery() = default;
  std::vector<Matrix4d> RestTransforms() const { return {rest_.begin(), rest_.end()}; }

  Prim prim_;
  Array<Token> joint_order_;
  JointTopology topology_;
  Array<Matrix4d> bind_;  // in world space
  Array<Matrix4d> rest_;  // joint-local
  // Whether the number of such transforms equals that of the joints.
  bool has_bind_pose_ = false;
  bool has_rest_pose_ = false;
  bool rest_authored_ = false;
  std::optional<AnimQuery> animation_;
  AnimMapper to_skeleton_;
  // Computed on first use: many skeletons are found, but few are used for skinning.
  mutable std::once_flag inverse_bind_once_;
  mutable std::vector<Matrix4d> inverse_bind_;
};

// The target of the nearest authored skel:animationSource at or above `prim`; an invalid prim if
// there is none. Corresponds to UsdSkelBindingAPI::GetInheritedAnimationSource.
Prim FindAnimationSource(RequestContext& context, const Prim& prim);
// The first target of an authored binding relationship; targets that are relationships are followed
// to their own. None if no target or empty list of targets is authored; an invalid prim if the list
// is empty or the target does not exist, which unbinds what is inherited. Corresponds to
// UsdSkelBindingAPI::GetSkeleton and GetAnimationSource.
std::optional<Prim> BoundTarget(RequestContext& context, const Prim& prim, Token relationship);

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_SKEL_SKELETON_QUERY_H_

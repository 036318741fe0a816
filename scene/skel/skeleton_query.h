// SkeletonQuery: a Skeleton prim with the animation bound to it (UsdSkelSkeletonQuery,
// UsdSkelAnimQuery).
//
// Immutable and thread-safe; valid as long as the stage snapshot. What does not vary in time is
// read once.
#ifndef STAGEDOOR_SCENE_SKEL_SKELETON_QUERY_H_
#define STAGEDOOR_SCENE_SKEL_SKELETON_QUERY_H_

#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "absl/status/statusor.h"
#include "base/request_context.h"
#include "scene/geom/prepared_attribute.h"
#include "scene/skel/anim_mapper.h"
#include "scene/skel/joint_topology.h"
#include "scene/stage/prim.h"
#include "scene/values/array.h"
#include "scene/values/linear_types.h"

namespace stagedoor {

class AnimQuery {
 public:
  // None where `prim` is no active SkelAnimation.
  static std::optional<AnimQuery> Compile(RequestContext& context, const Prim& prim);

  const Prim& prim() const { return prim_; }
  const Array<Token>& joint_order() const { return joint_order_; }
  const Array<Token>& blend_shape_order() const { return blend_shape_order_; }

  // By joint_order(), written to where `mapper` has each joint; what it leaves out stays. False
  // where translations, rotations or scales are missing or differ in number from the joints.
  bool ReadJointTransforms(RequestContext& context, TimeCode time, const AnimMapper& mapper,
                           std::vector<Matrix4d>* out) const;
  bool has_blend_shape_weights() const { return weights_.has_authored_value(); }
  std::optional<Array<float>> BlendShapeWeights(RequestContext& context, TimeCode time) const;
  // Union of the sample times of all it reads.
  Array<double> SampleTimes(RequestContext& context) const;

 private:
  Prim prim_;
  Array<Token> joint_order_;
  Array<Token> blend_shape_order_;
  PreparedAttribute translations_, rotations_, scales_, weights_;
};

class SkeletonQuery {
 public:
  // FAILED_PRECONDITION where `prim` is no active Skeleton or its joints come before their parents.
  static absl::StatusOr<std::shared_ptr<const SkeletonQuery>> Compile(RequestContext& context,
                                                                      const Prim& prim);

  const Prim& prim() const { return prim_; }
  const Array<Token>& joint_order() const { return joint_order_; }
  const JointTopology& topology() const { return topology_; }
  // Whether there are as many such transforms as joints.
  bool has_bind_pose() const { return has_bind_pose_; }
  bool has_rest_pose() const { return has_rest_pose_; }
  const Array<Matrix4d>& bind_transforms() const { return bind_; }  // world space
  const Array<Matrix4d>& rest_transforms() const { return rest_; }  // relative to parents
  // Null where none is bound.
  const AnimQuery* animation() const { return animation_ ? &*animation_ : nullptr; }
  // Whether the animation moves any joint of this skeleton.
  bool IsAnimated() const { return animation_ && !to_skeleton_.IsNull(); }
  // Whether anything poses it: an animation or rest transforms, be they usable or not.
  bool IsPosed() const { return IsAnimated() || rest_authored_; }

  // By joint_order(); `at_rest` leaves the animation out. None where a rest pose would be needed
  // and there is none.
  std::optional<std::vector<Matrix4d>> JointLocalTransforms(RequestContext& context, TimeCode time,
                                                            bool at_rest = false) const;
  // In skeleton space, or moved on by `root`.
  std::optional<std::vector<Matrix4d>> JointSkelTransforms(RequestContext& context, TimeCode time,
                                                           bool at_rest = false,
                                                           const Matrix4d* root = nullptr) const;
  // From bind to posed points in skeleton space. None without a bind pose too.
  std::optional<std::vector<Matrix4d>> SkinningTransforms(RequestContext& context,
                                                          TimeCode time) const;

 private:
  SkeletonQuery() = default;
  std::vector<Matrix4d> RestTransforms() const { return {rest_.begin(), rest_.end()}; }
  const std::vector<Matrix4d>& InverseBindTransforms() const;

  Prim prim_;
  Array<Token> joint_order_;
  JointTopology topology_;
  Array<Matrix4d> bind_, rest_;
  bool has_bind_pose_ = false;
  bool has_rest_pose_ = false;
  bool rest_authored_ = false;
  std::optional<AnimQuery> animation_;
  AnimMapper to_skeleton_;
  // Made when first asked for: many skeletons are found, and few of them skinned.
  mutable std::once_flag inverse_bind_once_;
  mutable std::vector<Matrix4d> inverse_bind_;
};

// The prim that the nearest authored skel:animationSource at or above `prim` names; invalid where
// there is none.
Prim FindAnimationSource(const Prim& prim);
// The target of an authored relationship that binds something: none where it is not authored on
// this prim; an invalid prim where it names nothing.
std::optional<Prim> BoundTarget(const Prim& prim, Token relationship);

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_SKEL_SKELETON_QUERY_H_

// SkinningQuery: a prim below a SkelRoot that is bound to a skeleton, ready to be deformed at any
// number of times (UsdSkelCache, UsdSkelSkinningQuery).
//
// Immutable to its users and thread-safe; valid as long as the stage snapshot. What does not vary
// in time (value sources, influence layout, blend shapes) is prepared when first needed, once.
#ifndef STAGEDOOR_SCENE_SKEL_SKINNING_QUERY_H_
#define STAGEDOOR_SCENE_SKEL_SKINNING_QUERY_H_

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/executor.h"
#include "base/mutex.h"
#include "base/request_context.h"
#include "scene/skel/anim_mapper.h"
#include "scene/skel/pose_cache.h"
#include "scene/skel/skeleton_query.h"
#include "scene/skel/skin_binding.h"
#include "scene/skel/skin_sources.h"
#include "scene/skel/skinning.h"

namespace stagedoor {

// Where a skinned prim and its skeleton stand at one time.
struct SkinPose {
  TimeCode time;
  std::shared_ptr<const SkeletonPose> skeleton;  // null: no skinning transforms
  Matrix4d skeleton_to_world;
  Matrix4d prim_to_world;
  Matrix4d parent_to_world;  // of the prim; the identity where it resets the transform stack
};

// What deforming gives at one time.
struct SkinResult {
  // Skinning transforms by the prim's joint order; null: none.
  std::shared_ptr<const std::vector<Matrix4d>> joints;
  std::optional<Array<Vec3f>> points;  // in the prim's space, or the world's
  std::optional<Array<Vec3f>> normals;
  std::optional<Matrix4d> xform;      // the new local transform of a rigidly deformed prim
  std::vector<std::string> warnings;  // what could not be applied, and why
};

struct SkinOptions {
  bool points = true;
  bool normals = true;
  bool blend_shapes = true;
  bool world_space = false;      // of points and normals; normals of unit length then
  Executor* executor = nullptr;  // null: the calling thread alone
};

class SkinningQuery {
 public:
  // `skeleton` is that of the binding's skeleton prim; prims that share one share it.
  static std::shared_ptr<const SkinningQuery> Compile(
      RequestContext& context, SkinBinding binding, std::shared_ptr<const SkeletonQuery> skeleton);

  const SkinBinding& binding() const { return binding_; }
  const SkeletonQuery& skeleton() const { return *skeleton_; }
  // The prim's own skel:joints, else the skeleton's.
  const Array<Token>& joint_order() const {
    return own_joints_ ? *own_joints_ : skeleton_->joint_order();
  }
  // Transforms by the skeleton's joint order in that of the prim; joints that the skeleton lacks
  // get the identity.
  std::vector<Matrix4d> RemapToJointOrder(std::vector<Matrix4d> transforms) const;
  bool has_joint_influences() const { return per_point_ > 0; }
  // Influences of the prim as a whole: it moves, and does not bend.
  bool is_rigidly_deformed() const { return rigid_; }
  bool has_blend_shapes() const { return has_blend_shapes_; }
  int influences_per_point() const { return per_point_; }
  // Why influences of the binding can't be used.
  const std::vector<std::string>& warnings() const { return warnings_; }
  size_t byte_size() const;

  // Flattened indices and weights as authored; false where they are missing or of unfitting size.
  bool JointInfluences(RequestContext& context, TimeCode time, Array<int>* indices,
                       Array<float>* weights) const;
  Matrix4d GeomBindTransform(RequestContext& context, TimeCode time) const;

  SkinPose PoseAt(RequestContext& context, PoseCache& poses) const {
    return PoseAt(context, poses, binding_.prim, skeleton_->prim());
  }
  // The same where other proxies of the prim and its skeleton stand.
  SkinPose PoseAt(RequestContext& context, PoseCache& poses, const Prim& prim,
                  const Prim& skeleton) const;
  // Deforms as OpenUSD's skinning baker.
  SkinResult Deform(RequestContext& context, const SkinPose& pose,
                    const SkinOptions& options) const;
  SkinResult Deform(RequestContext& context, PoseCache& poses, const SkinOptions& options) const {
    return Deform(context, PoseAt(context, poses), options);
  }

  // The sample times that affect the deformation.
  Array<double> SampleTimes(RequestContext& context) const;

 private:
  SkinningQuery() = default;
  void InitInfluences(RequestContext& context);
  std::shared_ptr<const SkinSources> Sources(RequestContext& context) const;
  std::optional<std::vector<float>> BlendWeights(RequestContext& context,
                                                 const SkinSources& sources, TimeCode time) const;
  std::shared_ptr<const std::vector<Matrix4d>> JointTransforms(
      const std::shared_ptr<const SkeletonPose>& pose) const;

  SkinBinding binding_;
  std::shared_ptr<const SkeletonQuery> skeleton_;
  std::optional<Array<Token>> own_joints_;
  AnimMapper to_own_joints_;
  SkinningMethod method_ = SkinningMethod::kLinear;
  bool known_method_ = true;
  int per_point_ = 0;
  bool constant_influences_ = false;
  bool rigid_ = false;
  bool has_blend_shapes_ = false;
  std::vector<std::string> warnings_;

  mutable Mutex mu_;
  mutable std::shared_ptr<const SkinSources> sources_ ABSL_GUARDED_BY(mu_);

  friend class SkinDeformation;
};

// Deforms many prims at the times of `poses`: prim by prim, so that what a prim keeps for all times
// stays in the processor's caches; on options.executor where it is not null. Result i is prim
// i / poses.size() at time i % poses.size().
std::vector<SkinResult> DeformAll(RequestContext& context,
                                  std::span<const std::shared_ptr<const SkinningQuery>> prims,
                                  std::span<PoseCache> poses, const SkinOptions& options);

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_SKEL_SKINNING_QUERY_H_

#ifndef STAGEDOOR_SCENE_SKEL_SKINNING_QUERY_H_
#define STAGEDOOR_SCENE_SKEL_SKINNING_QUERY_H_

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/executor.h"
#include "base/mutex.h"
#include "base/request_context.h"
#include "scene/skel/anim_mapper.h"
#include "scene/skel/pose_cache.h"
#include "scene/skel/skel_tokens.h"
#include "scene/skel/skeleton_query.h"
#include "scene/skel/skin_binding.h"
#include "scene/skel/skin_sources.h"
#include "scene/skel/skinning.h"
#include "scene/values/matrix.h"
#include "scene/values/vec.h"

namespace stagedoor {

// The transforms of a skinned prim and its skeleton at one time.
struct SkinPose {
  TimeCode time;
  std::shared_ptr<const SkeletonPose> skeleton;  // null if it has no skinning transforms
  Matrix4d skeleton_to_world;
  Matrix4d prim_to_world;
  Matrix4d parent_to_world;  // of the prim's parent; the identity if the prim resets the stack
};

// The result of deforming a prim at one time.
struct SkinResult {
  // Skinning transforms in skeleton space, in the prim's joint order; null if there are none.
  std::shared_ptr<const std::vector<Matrix4d>> joints;
  std::optional<Array<Vec3f>> points;  // in the prim's space or the world's
  std::optional<Array<Vec3f>> normals;
  std::optional<Matrix4d> xform;      // the new local transform of a rigidly deformed prim
  std::vector<std::string> warnings;  // what could not be applied, and why
};

struct SkinOptions {
  bool points = true;
  bool normals = true;
  bool blend_shapes = true;
  bool world_space = false;      // for points and normals; normals then have unit length
  Executor* executor = nullptr;  // if null, everything runs on the calling thread
};

// A prim below a SkelRoot that is bound to a skeleton, ready to be deformed at any number of times.
// Corresponds to UsdSkelSkinningQuery; Deform gives what UsdSkelBakeSkinning writes.
//
// Logically immutable and thread-safe; valid as long as the stage snapshot. What does not vary over
// time (value sources, layout of influences, blend shapes) is prepared once, on first use.
class SkinningQuery {
 public:
  // Compiles a binding. `skeleton` is the query of the binding's skeleton; prims with the same
  // skeleton share it.
  static std::shared_ptr<const SkinningQuery> Compile(
      RequestContext& context, SkinBinding binding, std::shared_ptr<const SkeletonQuery> skeleton);

  const SkinBinding& binding() const { return binding_; }
  const SkeletonQuery& skeleton() const { return *skeleton_; }
  // The prim's own skel:joints if it has any, otherwise the skeleton's joint order.
  const Array<Token>& joint_order() const {
    return own_joints_ ? *own_joints_ : skeleton_->joint_order();
  }
  // Reorders transforms from the skeleton's joint order to that of the prim; joints that the
  // skeleton lacks get the identity. Corresponds to GetJointMapper()->RemapTransforms.
  std::vector<Matrix4d> RemapToJointOrder(std::vector<Matrix4d> transforms) const;
  // For each joint of the prim's own order the index of the skeleton's joint, or -1; none if the
  // prim has no own order. Corresponds to GetJointMapper.
  std::optional<std::vector<int>> JointMapping() const;
  // classicLinear unless another one is authored. Corresponds to GetSkinningMethod.
  Token skinning_method() const { return method_name_; }
  bool has_joint_influences() const { return per_point_ > 0; }
  // The number of influences of each point or, if they are constant, of the prim; 0 if there are
  // none that can be used. Correspond to GetNumInfluencesPerComponent and GetInterpolation.
  int influences_per_component() const { return per_point_; }
  bool has_constant_influences() const { return constant_influences_; }
  // Whether the influences are constant, so that the prim moves as a whole and its points stay.
  // Corresponds to IsRigidlyDeformed.
  bool is_rigidly_deformed() const { return rigid_; }
  bool has_blend_shapes() const { return has_blend_shapes_; }
  // Why properties of the binding cannot be used.
  const std::vector<std::string>& warnings() const { return warnings_; }
  size_t byte_size() const;

  // The indices and weights at `time`, flattened and otherwise as authored; false if they are
  // missing or have the wrong size. Corresponds to ComputeJointInfluences.
  bool JointInfluences(RequestContext& context, TimeCode time, Array<int>* indices,
                       Array<float>* weights) const;
  // Whether the influences are the same at all numeric times.
  bool HasSteadyInfluences() const;
  // The transform of the prim's points to the bind pose; the identity if it is not authored.
  Matrix4d GeomBindTransform(RequestContext& context, TimeCode time) const;
  // Whether it is the same at all numeric times.
  bool HasSteadyGeomBind() const {
    return !binding_.geom_bind_transform || binding_.geom_bind_transform->is_steady();
  }

  // The blend shapes, with what else a deformation reads. Incomplete once the context is done.
  std::shared_ptr<const SkinSources> Sources(RequestContext& context) const;
  // The names of blend shapes, as authored on the prim. Corresponds to GetBlendShapeOrder.
  Array<Token> BlendShapeOrder(RequestContext& context) const;
  // The weights at `time`, in the order of the names. None if there are no shapes or the animation
  // has no weights.
  std::optional<std::vector<float>> BlendShapeWeights(RequestContext& context, TimeCode time) const;

  // The transforms at the time of `poses`.
  SkinPose PoseAt(RequestContext& context, PoseCache& poses) const {
    return PoseAt(context, poses, binding_.prim, skeleton_->prim());
  }
  // As above, for other instance proxies of the prim and its skeleton.
  SkinPose PoseAt(RequestContext& context, PoseCache& poses, const Prim& prim,
                  const Prim& skeleton) const;
  // Deforms the prim as UsdSkelBakeSkinning does. What cannot be applied is a warning.
  SkinResult Deform(RequestContext& context, const SkinPose& pose,
                    const SkinOptions& options) const;
  SkinResult Deform(RequestContext& context, PoseCache& poses, const SkinOptions& options) const {
    return Deform(context, PoseAt(context, poses), options);
  }

  // All sample times that affect the deformation, except for those of transforms.
  Array<double> SampleTimes(RequestContext& context) const;
  // Adds the sources of all that affects the deformation, except for transforms, for the prim and
  // the animation of one place in the stage.
  absl::Status AddSources(RequestContext& context, const Prim& prim, const Prim& animation,
                          const SkinOptions& options, SourceSink* sink) const;

 private:
  SkinningQuery() = default;
  void InitInfluences(RequestContext& context);
  std::optional<std::vector<float>> BlendWeights(RequestContext& context,
                                                 const SkinSources& sources, TimeCode time) const;
  std::shared_ptr<const std::vector<Matrix4d>> JointTransforms(
      const std::shared_ptr<const SkeletonPose>& pose) const;

  SkinBinding binding_;
  std::shared_ptr<const SkeletonQuery> skeleton_;
  std::optional<Array<Token>> own_joints_;
  AnimMapper to_own_joints_;
  SkinningMethod method_ = SkinningMethod::kLinear;
  Token method_name_ = Skel().classicLinear;
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

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_SKEL_SKINNING_QUERY_H_

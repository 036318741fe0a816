// SkinnedPrim: a prim below a SkelRoot that is bound to a skeleton, ready to be deformed at any
// number of times (UsdSkelCache, UsdSkelSkinningQuery).
//
// Immutable and thread-safe; valid as long as the stage snapshot. What does not vary in time
// (influence layout, blend shapes) is prepared once.
#ifndef STAGEDOOR_SCENE_SKEL_SKINNED_PRIM_H_
#define STAGEDOOR_SCENE_SKEL_SKINNED_PRIM_H_

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/executor.h"
#include "base/request_context.h"
#include "scene/geom/xform_cache.h"
#include "scene/skel/blend_shapes.h"
#include "scene/skel/influences.h"
#include "scene/skel/joint_mapper.h"
#include "scene/skel/skeleton.h"
#include "scene/skel/skinning.h"
#include "scene/stage/prim.h"
#include "scene/stage/property.h"

namespace stagedoor {

// Binding properties as they are inherited down to a prim; invalid where none is authored.
struct SkinBinding {
  Prim prim;
  Prim skeleton;
  Attribute joint_indices;
  Attribute joint_weights;
  Attribute geom_bind_transform;
  Attribute joints;
  Attribute skinning_method;
  Attribute blend_shapes;            // not inherited
  Relationship blend_shape_targets;  // not inherited
};

// The skinnable prims below (and including) a SkelRoot that are bound to a skeleton, in traversal
// order, instance proxies too. Prims outside of SkelRoots are never skinned.
std::vector<SkinBinding> FindSkinBindings(RequestContext& context, const Prim& skel_root);

// What deforming gives at one time.
struct SkinResult {
  std::optional<std::vector<Matrix4d>> joints;  // skinning transforms by the prim's joint order
  std::optional<std::vector<Vec3f>> points;     // in the prim's space
  std::optional<std::vector<Vec3f>> normals;
  std::optional<Matrix4d> xform;      // the new local transform of a rigidly deformed prim
  std::vector<std::string> warnings;  // what could not be applied, and why
};

struct SkinOptions {
  bool points = true;
  bool normals = true;
  bool blend_shapes = true;
  Executor* executor = nullptr;  // null: the calling thread alone
};

class SkinnedPrim {
 public:
  // `skeleton` is that of the binding's skeleton prim; prims that share one share it.
  static std::shared_ptr<const SkinnedPrim> Compile(RequestContext& context, SkinBinding binding,
                                                    std::shared_ptr<const Skeleton> skeleton);

  const SkinBinding& binding() const { return binding_; }
  const Skeleton& skeleton() const { return *skeleton_; }
  // The prim's own skel:joints, else the skeleton's.
  const Array<Token>& joint_order() const {
    return own_joints_ ? *own_joints_ : skeleton_->joint_order();
  }
  bool has_joint_influences() const { return per_point_ > 0; }
  // Influences of the prim as a whole: it moves, and does not bend.
  bool is_rigid() const { return rigid_; }
  bool has_blend_shapes() const { return has_blend_shapes_; }
  int influences_per_point() const { return per_point_; }
  // Why influences or shapes of the binding can't be used.
  const std::vector<std::string>& warnings() const { return warnings_; }

  // Skinning transforms in joint_order(). None where the skeleton has none at this time.
  std::optional<std::vector<Matrix4d>> JointTransforms(RequestContext& context, Time time) const;
  // Flattened indices and weights as authored; false where they are missing or of unfitting size.
  bool JointInfluences(RequestContext& context, Time time, Array<int>* indices,
                       Array<float>* weights) const;
  Matrix4d GeomBindTransform(RequestContext& context, Time time) const;

  // Deforms as OpenUSD's skinning baker; `xforms` is of that time.
  SkinResult Deform(RequestContext& context, XformCache& xforms, const SkinOptions& options) const;

  // The sample times that affect the deformation.
  Array<double> SampleTimes(RequestContext& context) const;

 private:
  SkinnedPrim() = default;
  void InitInfluences();
  void InitBlendShapes(RequestContext& context);
  struct Rest {
    std::optional<std::vector<Vec3f>> points;
    std::optional<std::vector<Vec3f>> normals;
    std::optional<Array<int>> face_vertex_indices;  // of face-varying normals
  };
  Rest RestPose(RequestContext& context, Time time, const SkinOptions& options) const;
  void Blend(RequestContext& context, Time time, Rest* rest) const;
  void SkinAll(RequestContext& context, XformCache& xforms, const SkinOptions& options,
               const std::vector<Matrix4d>& joints, Rest* rest, SkinResult* result) const;
  struct Pose;
  void SkinRestPoints(const Pose& pose, Rest* rest, SkinResult* result) const;
  void SkinRestNormals(const Pose& pose, Rest* rest, SkinResult* result) const;
  std::optional<Matrix4d> RigidTransform(const Pose& pose) const;

  SkinBinding binding_;
  std::shared_ptr<const Skeleton> skeleton_;
  std::optional<Array<Token>> own_joints_;
  JointMapper to_own_joints_;
  SkinningMethod method_ = SkinningMethod::kLinear;
  bool known_method_ = true;
  int per_point_ = 0;
  bool rigid_ = false;
  bool has_blend_shapes_ = false;
  JointMapper to_shapes_;
  std::vector<BlendShape> shapes_;
  std::vector<std::string> warnings_;
  // Where indices and weights do not vary: their layout for as many points as they are for.
  std::optional<PreparedInfluences> prepared_;
};

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_SKEL_SKINNED_PRIM_H_

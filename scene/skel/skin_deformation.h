#ifndef STAGEDOOR_SCENE_SKEL_SKIN_DEFORMATION_H_
#define STAGEDOOR_SCENE_SKEL_SKIN_DEFORMATION_H_

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "scene/skel/skinning_query.h"
#include "scene/values/matrix.h"
#include "scene/values/vec.h"

namespace stagedoor {

// A single deformation of a skinned prim, step by step: rest points, blend shapes, joints.
// Corresponds to _SkinningAdapter in OpenUSD's bakeSkinning.cpp. Internal to scene/skel.
//
// For one thread and one call of Run. All arguments must outlive it.
class SkinDeformation {
 public:
  SkinDeformation(RequestContext& context, const SkinningQuery& prim, const SkinSources& sources,
                  const SkinPose& pose, const SkinOptions& options)
      : context_(context), prim_(prim), sources_(sources), pose_(pose), options_(options) {}

  SkinResult Run();

 private:
  using Joints = std::vector<Matrix4d>;

  // Reads the rest points and normals, in the prim's space.
  void ReadRest();
  // Applies blend shapes to both (_DeformWithBlendShapes).
  void Blend();
  // Applies joints, given in the prim's joint order, to points and normals or, if the prim is
  // rigid, to its transform (_DeformWithLBS, _DeformXformWithLBS).
  void Skin(const Joints& joints);
  void SkinRigidly(const Joints& joints);
  void DeformPoints(const Joints& joints);
  void DeformNormals(const Joints& joints);
  // Finds the influences at this time, whether they vary or not. False with a warning if there are
  // none that can be used.
  bool FindInfluences();
  // The layout of the influences for `count` elements; null with a warning if their number is
  // wrong.
  const SkinningInfluences* LayoutFor(size_t count, bool face_vertices, size_t joints);
  std::vector<Matrix3d> NormalTransforms(const Joints& joints) const;
  // Moves what was not skinned to world space with the prim.
  void MoveToWorld(const Matrix4d& to_world);

  RequestContext& context_;
  const SkinningQuery& prim_;
  const SkinSources& sources_;
  const SkinPose& pose_;
  const SkinOptions& options_;

  std::optional<Array<Vec3f>> points_, normals_;
  std::optional<BlendedVectors> blended_;          // points_ with blend shapes; borrows points_
  std::optional<Array<int>> face_vertex_indices_;  // for face-varying normals
  Array<int> indices_;
  Array<float> weights_;
  bool steady_ = false;
  bool skinned_ = false;  // points_ and normals_ are in the target space
  std::optional<SkinningInfluences> fresh_;
  Matrix4d geom_bind_;
  Matrix4d to_target_;  // skeleton space to the target space: the prim's or the world
  SkinResult result_;
};

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_SKEL_SKIN_DEFORMATION_H_

// SkinDeformation: one deformation of a skinned prim, step by step. Internal to scene/skel.
#ifndef STAGEDOOR_SCENE_SKEL_SKIN_DEFORMATION_H_
#define STAGEDOOR_SCENE_SKEL_SKIN_DEFORMATION_H_

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "scene/skel/skinning_query.h"

namespace stagedoor {

// For one thread and one run. What it is made with outlives it.
class SkinDeformation {
 public:
  SkinDeformation(RequestContext& context, const SkinningQuery& prim, const SkinSources& sources,
                  const SkinPose& pose, const SkinOptions& options)
      : context_(context), prim_(prim), sources_(sources), pose_(pose), options_(options) {}

  SkinResult Run();

 private:
  using Joints = std::vector<Matrix4d>;

  void ReadRest();
  void Blend();
  void Skin(const Joints& joints);
  void SkinRigidly(const Joints& joints);
  void DeformPoints(const Joints& joints);
  void DeformNormals(const Joints& joints);
  // Influences at this time, steady or not. False with a warning where there are none that fit.
  bool FindInfluences();
  // Their layout for `count` elements; null with a warning where they do not fit.
  const SkinningInfluences* LayoutFor(size_t count, bool face_vertices, size_t joints);
  std::vector<Matrix3d> NormalTransforms(const Joints& joints) const;
  // What is not skinned goes to world space with the prim, if asked for.
  void MoveToWorld(const Matrix4d& to_world);

  RequestContext& context_;
  const SkinningQuery& prim_;
  const SkinSources& sources_;
  const SkinPose& pose_;
  const SkinOptions& options_;

  std::optional<Array<Vec3f>> points_, normals_;
  std::optional<BlendedVectors> blended_;          // what points_ are to become; borrows them
  std::optional<Array<int>> face_vertex_indices_;  // of normals, where they are face-varying
  Array<int> indices_;
  Array<float> weights_;
  bool steady_ = false;
  bool skinned_ = false;  // points_ and normals_ have left the prim's space
  std::optional<SkinningInfluences> fresh_;
  Matrix4d geom_bind_;
  Matrix4d to_target_;  // from skeleton space to the prim's, or the world's
  SkinResult result_;
};

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_SKEL_SKIN_DEFORMATION_H_

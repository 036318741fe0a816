#include "scene/skel/skin_deformation.h"

#include <span>
#include <utility>

#include "scene/skel/vector_array.h"
#include "scene/values/matrix.h"
#include "scene/values/matrix_math.h"
#include "scene/values/vec.h"
#include "scene/values/vec_math.h"

namespace stagedoor {
namespace {

constexpr size_t kInfluenceBytes = sizeof(int) + sizeof(float);  // index and weight

// With a division by w, because xformOp:transform may be projective.
Array<Vec3f> MovedPoints(const Array<Vec3f>& points, const Matrix4d& m) {
  Vec3f* out;
  Array<Vec3f> moved = NewVectorArray(points.size(), &out);
  for (size_t i = 0; i < points.size(); ++i) {
    out[i] = VecCast<float>(Transform(VecCast<double>(points[i]), m));
  }
  return moved;
}

// Transforms normals by `m`, an inverse transpose; `unit` scales them to unit length.
void MoveNormals(std::span<const Vec3f> normals, const Matrix3d& m, bool unit, Vec3f* out) {
  for (size_t i = 0; i < normals.size(); ++i) {
    const Vec3d moved = VecCast<double>(normals[i]) * m;
    out[i] = VecCast<float>(unit ? Normalized(moved) : moved);
  }
}

}  // namespace

SkinResult SkinDeformation::Run() {
  result_.warnings = prim_.warnings();
  result_.warnings.insert(result_.warnings.end(), sources_.warnings.begin(),
                          sources_.warnings.end());
  if (pose_.skeleton) result_.joints = prim_.JointTransforms(pose_.skeleton);
  // Blend shapes come before joints ("Blend Shape Schema" in the UsdSkel schema documentation):
  // their offsets are in the space of the rest points.
  ReadRest();
  if (options_.blend_shapes) Blend();
  if (result_.joints) {
    Skin(*result_.joints);
  } else {
    result_.warnings.push_back(
        "the skeleton cannot be posed: no bind pose, or neither animation nor rest pose");
  }
  // Still here only if the joints were not applied; those take the blended points block by block.
  if (blended_ && points_) points_ = blended_->ToArray();
  // Points that joints have moved are in world space already. Those of a rigid prim move with its
  // new transform, others with the authored one.
  if (options_.world_space && !skinned_) {
    MoveToWorld(result_.xform ? *result_.xform * pose_.parent_to_world : pose_.prim_to_world);
  }
  result_.points = std::move(points_);
  result_.normals = std::move(normals_);
  return std::move(result_);
}

void SkinDeformation::ReadRest() {
  if (options_.points) points_ = sources_.points.GetAs<Array<Vec3f>>(context_, pose_.time);
  if (!options_.normals || sources_.normals_layout == NormalsLayout::kNone) return;
  if (sources_.normals_layout == NormalsLayout::kFaceVertices) {
    face_vertex_indices_ = sources_.face_vertex_indices.GetAs<Array<int>>(context_, pose_.time);
    if (!face_vertex_indices_) return;
  }
  normals_ = sources_.normals.GetAs<Array<Vec3f>>(context_, pose_.time);
}

void SkinDeformation::Blend() {
  const auto weights = prim_.BlendWeights(context_, sources_, pose_.time);
  if (!weights) return;
  const auto active = ComputeSubShapeWeights(sources_.shapes, *weights);
  if (!active) return;
  if (points_) {
    blended_ = BlendedVectors::Create(sources_.shapes, *active, BlendTarget::kPoints,
                                      points_->span(), &context_);
  }
  // Normal offsets are per point, so they cannot be added to normals of face vertices.
  if (!normals_ || face_vertex_indices_) return;
  const auto moved = BlendedVectors::Create(sources_.shapes, *active, BlendTarget::kNormals,
                                            normals_->span(), &context_);
  if (!moved) return;
  const Array<Vec3f> normals = moved->ToArray();
  Vec3f* out;
  normals_ = NewVectorArray(normals.size(), &out);
  for (size_t i = 0; i < normals.size(); ++i) out[i] = Normalized(normals[i]);
}

bool SkinDeformation::FindInfluences() {
  // Layouts are prepared for numeric times, at which samples may hide the default.
  if (sources_.influences && !pose_.time.is_default()) {
    steady_ = true;
    indices_ = sources_.influences->indices;
    weights_ = sources_.influences->weights;
    return true;
  }
  if (prim_.JointInfluences(context_, pose_.time, &indices_, &weights_)) return true;
  if (prim_.has_joint_influences()) {
    result_.warnings.push_back("joint indices and weights are missing or have the wrong size");
  }
  return false;
}

void SkinDeformation::Skin(const Joints& joints) {
  if (!FindInfluences()) return;
  geom_bind_ = prim_.GeomBindTransform(context_, pose_.time);
  if (prim_.rigid_) return SkinRigidly(joints);
  if (!prim_.known_method_) {
    // OpenUSD cannot skin these prims, so it writes no points either.
    points_.reset();
    normals_.reset();
    return;
  }
  // Skinning gives points in skeleton space. They go to the prim's own space, where the prim's
  // transform brings them back, so that the prim renders where the skeleton is.
  to_target_ = pose_.skeleton_to_world;
  if (!options_.world_space) {
    to_target_ = pose_.skeleton_to_world == pose_.prim_to_world
                     ? Matrix4d::Identity()
                     : pose_.skeleton_to_world * Inverse(pose_.prim_to_world);
  }
  skinned_ = true;
  if (points_ && !points_->empty()) DeformPoints(joints);
  if (normals_ && !normals_->empty()) DeformNormals(joints);
}

void SkinDeformation::SkinRigidly(const Joints& joints) {
  std::optional<Matrix4d> skinned;
  if (prim_.known_method_) {
    skinned = SkinTransform(prim_.method_, geom_bind_, joints, indices_.span(), weights_.span());
    if (!skinned) result_.warnings.push_back("a joint index is out of range");
  }
  // As in OpenUSD, a prim that cannot be skinned stays where it is bound. The new local transform
  // takes the prim to skeleton space, and from there through the world to its parent.
  const bool at_root = pose_.parent_to_world == Matrix4d::Identity();
  const Matrix4d to_parent =
      at_root ? pose_.skeleton_to_world : pose_.skeleton_to_world * Inverse(pose_.parent_to_world);
  result_.xform = skinned.value_or(geom_bind_) * to_parent;
}

const SkinningInfluences* SkinDeformation::LayoutFor(size_t count, bool face_vertices,
                                                     size_t joints) {
  const auto& ready = face_vertices ? sources_.face_vertex_influences : sources_.influences;
  if (steady_ && ready && ready->influences.points() == count) return &ready->influences;
  // Influences are per point; normals of face vertices need those of their points.
  Array<int> indices = indices_;
  Array<float> weights = weights_;
  Reservation reserved(context_);
  if (face_vertices && !ExpandByFaceVertex(context_, *face_vertex_indices_, prim_.per_point_,
                                           &reserved, &indices, &weights)) {
    return nullptr;
  }
  if (!reserved.Grow(indices.size() * kInfluenceBytes, "joint influences").ok()) return nullptr;
  auto created =
      SkinningInfluences::Create(indices.span(), weights.span(), prim_.per_point_, count, joints);
  if (!created.ok()) {
    result_.warnings.push_back(std::string(created.status().message()));
    return nullptr;
  }
  fresh_ = *std::move(created);
  return &*fresh_;
}

void SkinDeformation::DeformPoints(const Joints& joints) {
  // Taken first: without usable influences there are no points, rather than unskinned ones.
  const Array<Vec3f> rest = *std::exchange(points_, std::nullopt);
  const SkinningInfluences* influences = LayoutFor(rest.size(), false, joints.size());
  if (!influences) return;
  Vec3f* out;
  points_ = NewVectorArray(rest.size(), &out);
  const std::span<Vec3f> all(out, rest.size());
  if (const auto blended = std::exchange(blended_, std::nullopt)) {
    SkinPoints(prim_.method_, *influences, geom_bind_, joints, *blended, all, options_.executor,
               to_target_);
  } else {
    SkinPoints(prim_.method_, *influences, geom_bind_, joints, rest.span(), all, options_.executor,
               to_target_);
  }
}

std::vector<Matrix3d> SkinDeformation::NormalTransforms(const Joints& joints) const {
  // Prims with the skeleton's joint order share its matrices.
  if (!prim_.own_joints_) return pose_.skeleton->normal_transforms();
  std::vector<Matrix3d> own;
  own.reserve(joints.size());
  for (const Matrix4d& m : joints) own.push_back(NormalMatrix(m));
  return own;
}

void SkinDeformation::DeformNormals(const Joints& joints) {
  const Array<Vec3f> rest = *std::exchange(normals_, std::nullopt);
  const SkinningInfluences* influences =
      LayoutFor(rest.size(), face_vertex_indices_.has_value(), joints.size());
  if (!influences) return;
  Vec3f* out;
  normals_ = NewVectorArray(rest.size(), &out);
  const std::span<Vec3f> all(out, rest.size());
  // Gives unit length in skeleton space, by inverse transposes throughout.
  SkinNormals(prim_.method_, *influences, NormalMatrix(geom_bind_), NormalTransforms(joints),
              rest.span(), all, options_.executor);
  // In the prim's space the result keeps the length that the transform gives it, as in OpenUSD.
  if (to_target_ == Matrix4d::Identity()) return;
  MoveNormals(all, NormalMatrix(to_target_), options_.world_space, out);
}

void SkinDeformation::MoveToWorld(const Matrix4d& to_world) {
  if (points_) points_ = MovedPoints(*points_, to_world);
  if (!normals_) return;
  Vec3f* out;
  const Array<Vec3f> rest = *std::exchange(normals_, std::nullopt);
  normals_ = NewVectorArray(rest.size(), &out);
  MoveNormals(rest.span(), NormalMatrix(to_world), true, out);
}

SkinResult SkinningQuery::Deform(RequestContext& context, const SkinPose& pose,
                                 const SkinOptions& options) const {
  const std::shared_ptr<const SkinSources> sources = Sources(context);
  return SkinDeformation(context, *this, *sources, pose, options).Run();
}

}  // namespace stagedoor

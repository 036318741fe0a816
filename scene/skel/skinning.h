// Skinning of points and normals (UsdSkelSkinPoints, UsdSkelSkinNormals): linear blend and dual
// quaternion.
//
// Pure functions of the points, block by block, so that ranges run on several threads. Row vectors:
// a joint transform takes bind-pose points of skeleton space to posed ones.
#ifndef STAGEDOOR_SCENE_SKEL_SKINNING_H_
#define STAGEDOOR_SCENE_SKEL_SKINNING_H_

#include <optional>
#include <span>
#include <vector>

#include "base/executor.h"
#include "scene/skel/blend_shape.h"
#include "scene/skel/skinning_influences.h"
#include "scene/values/linear_types.h"

namespace stagedoor {

enum class SkinningMethod : unsigned char { kLinear, kDualQuaternion };

// Inputs that the kernels share. All spans have the sizes of `influences`; `points` may be `out`. A
// null executor means the calling thread alone.

// Points are taken to skeleton space by `geom_bind` first, and by `after` from there when skinned.
void SkinPoints(SkinningMethod method, const SkinningInfluences& influences,
                const Matrix4d& geom_bind, std::span<const Matrix4d> joints,
                std::span<const Vec3f> points, std::span<Vec3f> out, Executor* executor = nullptr,
                const Matrix4d& after = Matrix4d::Identity());

// The same from points that blend shapes have moved, without working these out as a whole.
void SkinPoints(SkinningMethod method, const SkinningInfluences& influences,
                const Matrix4d& geom_bind, std::span<const Matrix4d> joints,
                const BlendedVectors& points, std::span<Vec3f> out, Executor* executor = nullptr,
                const Matrix4d& after = Matrix4d::Identity());

// With the inverse transposes of the linear parts; results are of unit length.
void SkinNormals(SkinningMethod method, const SkinningInfluences& influences,
                 const Matrix3d& geom_bind, std::span<const Matrix3d> joints,
                 std::span<const Vec3f> normals, std::span<Vec3f> out,
                 Executor* executor = nullptr);

// The inverse transpose of the upper left part.
Matrix3d NormalMatrix(const Matrix4d& m);

// The transform of a rigidly deformed prim: one frame moved by constant influences. None where an
// index is no joint.
std::optional<Matrix4d> SkinTransform(SkinningMethod method, const Matrix4d& geom_bind,
                                      std::span<const Matrix4d> joints,
                                      std::span<const int> indices, std::span<const float> weights);

// The plain forms, operation by operation as OpenUSD has them; the fast ones are tested against
// them.
void SkinPointsReference(SkinningMethod method, const SkinningInfluences& influences,
                         const Matrix4d& geom_bind, std::span<const Matrix4d> joints,
                         std::span<const Vec3f> points, std::span<Vec3f> out);
void SkinNormalsReference(SkinningMethod method, const SkinningInfluences& influences,
                          const Matrix3d& geom_bind, std::span<const Matrix3d> joints,
                          std::span<const Vec3f> normals, std::span<Vec3f> out);

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_SKEL_SKINNING_H_

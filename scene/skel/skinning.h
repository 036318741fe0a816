#ifndef STAGEDOOR_SCENE_SKEL_SKINNING_H_
#define STAGEDOOR_SCENE_SKEL_SKINNING_H_

#include <optional>
#include <span>
#include <vector>

#include "base/executor.h"
#include "scene/skel/blend_shape.h"
#include "scene/skel/skinning_influences.h"
#include "scene/values/matrix.h"
#include "scene/values/vec.h"

namespace stagedoor {

// Skinning of points and normals by linear blending and by dual quaternions. Corresponds to
// UsdSkelSkinPoints, UsdSkelSkinNormals and UsdSkelSkinTransform.
//
// Pure functions that process points block by block, so that ranges of blocks can run on several
// threads. Transforms are for row vectors: a joint transform takes points in skeleton space from
// the bind pose to the current pose.

// The values of primvars:skel:skinningMethod: classicLinear and dualQuaternion.
enum class SkinningMethod : unsigned char { kLinear, kDualQuaternion };

// In all functions the spans must have the sizes for which `influences` was created, and `points`
// (or `normals`) may be `out`. A null executor runs everything on the calling thread.

// Skins points: `geom_bind` takes them to the bind pose in skeleton space, `joints` to the current
// pose, and `after` from skeleton space to the space of the result.
void SkinPoints(SkinningMethod method, const SkinningInfluences& influences,
                const Matrix4d& geom_bind, std::span<const Matrix4d> joints,
                std::span<const Vec3f> points, std::span<Vec3f> out, Executor* executor = nullptr,
                const Matrix4d& after = Matrix4d::Identity());

// Skins points that blend shapes have moved, which are computed block by block.
void SkinPoints(SkinningMethod method, const SkinningInfluences& influences,
                const Matrix4d& geom_bind, std::span<const Matrix4d> joints,
                const BlendedVectors& points, std::span<Vec3f> out, Executor* executor = nullptr,
                const Matrix4d& after = Matrix4d::Identity());

// Skins normals. All transforms are inverse transposes of linear parts (see NormalMatrix); results
// have unit length and are in skeleton space.
void SkinNormals(SkinningMethod method, const SkinningInfluences& influences,
                 const Matrix3d& geom_bind, std::span<const Matrix3d> joints,
                 std::span<const Vec3f> normals, std::span<Vec3f> out,
                 Executor* executor = nullptr);

// The inverse transpose of the linear part, which transforms normals.
Matrix3d NormalMatrix(const Matrix4d& m);

// The transform of a rigidly deformed prim to skeleton space: constant influences applied to the
// frame of `geom_bind`. None if an index is not a joint. Corresponds to UsdSkelSkinTransform.
std::optional<Matrix4d> SkinTransform(SkinningMethod method, const Matrix4d& geom_bind,
                                      std::span<const Matrix4d> joints,
                                      std::span<const int> indices, std::span<const float> weights);

// The plain implementation of SkinPoints, with the operations of OpenUSD in the same order, which
// handles transforms that are not affine. The fast ones are tested against it.
void SkinPointsReference(SkinningMethod method, const SkinningInfluences& influences,
                         const Matrix4d& geom_bind, std::span<const Matrix4d> joints,
                         std::span<const Vec3f> points, std::span<Vec3f> out);

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_SKEL_SKINNING_H_

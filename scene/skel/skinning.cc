#include "scene/skel/skinning.h"

#include <algorithm>
#include <cmath>

#include "scene/skel/dual_quaternion_kernels.h"
#include "scene/skel/joint_dual_quaternions.h"
#include "scene/skel/matrix_kernels.h"
#include "scene/skel/skinning_kernels.h"
#include "scene/values/matrix.h"
#include "scene/values/matrix_math.h"
#include "scene/values/vec.h"
#include "scene/values/vec_math.h"

namespace stagedoor {
namespace {

using Block = SkinningInfluences::Block;

// Calls fn(block) for all blocks, in parallel if there are many.
template <typename Fn>
void ForBlocks(const SkinningInfluences& influences, Executor* executor, const Fn& fn) {
  // Blocks per task: some 8000 points, enough to pay for the task.
  constexpr size_t kGrain = 32;
  const auto range = [&](size_t begin, size_t end) {
    for (size_t i = begin; i < end; ++i) fn(influences.block(i));
  };
  if (executor && influences.blocks() > 2 * kGrain) {
    ParallelFor(*executor, influences.blocks(), kGrain, range);
  } else {
    range(0, influences.blocks());
  }
}

// The kernels skip the division by w, so transforms with a projective part take the plain way.
bool IsAffine(const Matrix4d& m) {
  return m.m[0][3] == 0 && m.m[1][3] == 0 && m.m[2][3] == 0 && m.m[3][3] == 1;
}

Vec3f BindPoint(const Vec3f& p, const Matrix4d& geom_bind) {
  return VecCast<float>(Transform(VecCast<double>(p), geom_bind));
}

JointRows RowsOf(const Matrix3d& m) {
  JointRows rows = {};
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) rows.rows[i][j] = static_cast<float>(m.m[i][j]);
  }
  return rows;
}

// Drops the translation, which is added once to each point and not once per weight: weights need
// not sum to one.
Matrix4d LinearPart(const Matrix4d& m) { return TransformMatrix(ExtractRotationMatrix(m)); }

// Joints for the linear kernel, combined with the transforms before and after them: p * bind *
// joint * after becomes one product per joint instead of three per point.
struct LinearJoints {
  std::vector<JointRows> rows;
  Vec3f offset{};

  LinearJoints(const Matrix4d& before, std::span<const Matrix4d> joints, const Matrix4d& after)
      : rows(joints.size()) {
    if (after == Matrix4d::Identity()) {
      MakeJointRows(before, joints, rows);
      return;
    }
    std::vector<Matrix4d> moved(joints.size());
    MultiplyMatrices(joints, LinearPart(after), moved);
    MakeJointRows(before, moved, rows);
    offset = VecCast<float>(ExtractTranslation(after));
  }
};

// Skins points (or normals) by dual quaternions. Scales are blended linearly first, as in
// _SkinPointsDQS; `before` is then part of their matrices.
void SkinByMotions(const SkinningInfluences& influences, const JointDualQuaternions& joints,
                   const DualQuaternionFrame& frame, std::span<const Vec3f> points,
                   std::span<Vec3f> out, Executor* executor) {
  DualQuaternionFrame of_motions = frame;
  std::vector<JointRows> scales;
  if (joints.has_scales()) {
    scales.resize(joints.scales().size());
    MakeJointRows(frame.before, joints.scales(), scales);
    of_motions.before = Matrix4d::Identity();
  }
  ForBlocks(influences, executor, [&](const Block& block) {
    const Vec3f* from = points.data() + block.first_point;
    Vec3f* to = out.data() + block.first_point;
    // Scaled points go to the output and are read from there: no buffer is needed.
    if (!scales.empty()) {
      SkinBlock(block, scales.data(), from, {}, to);
      from = to;
    }
    SkinDualQuaternionBlock(block, joints.motions().data(), of_motions, from, to);
  });
}

// Blends one point linearly, in the order and precision of OpenUSD: each joint moves the point in
// double, and the weighted results are summed in float.
Vec3f SkinLinearly(const Vec3f& bound, const uint32_t* indices, const float* weights, size_t count,
                   std::span<const Matrix4d> joints) {
  Vec3f sum{};
  for (size_t i = 0; i < count; ++i) {
    if (weights[i] == 0) continue;
    const Vec3d moved = TransformAffine(VecCast<double>(bound), joints[indices[i]]);
    sum = sum + VecCast<float>(moved) * weights[i];
  }
  return sum;
}

}  // namespace

void SkinPoints(SkinningMethod method, const SkinningInfluences& influences,
                const Matrix4d& geom_bind, std::span<const Matrix4d> joints,
                std::span<const Vec3f> points, std::span<Vec3f> out, Executor* executor,
                const Matrix4d& after) {
  const bool stays = after == Matrix4d::Identity();
  // Joints count by their affine part only, also in OpenUSD; a projective bind transform divides.
  if (!IsAffine(geom_bind) || !IsAffine(after)) {
    SkinPointsReference(method, influences, geom_bind, joints, points, out);
    if (stays) return;
    for (Vec3f& p : out) p = VecCast<float>(Transform(VecCast<double>(p), after));
    return;
  }
  if (method == SkinningMethod::kDualQuaternion) {
    const DualQuaternionFrame frame = {.before = geom_bind, .after = after};
    return SkinByMotions(influences, JointDualQuaternions(joints), frame, points, out, executor);
  }
  const LinearJoints rows(geom_bind, joints, after);
  ForBlocks(influences, executor, [&](const Block& block) {
    SkinBlock(block, rows.rows.data(), points.data() + block.first_point, rows.offset,
              out.data() + block.first_point);
  });
}

void SkinPoints(SkinningMethod method, const SkinningInfluences& influences,
                const Matrix4d& geom_bind, std::span<const Matrix4d> joints,
                const BlendedVectors& points, std::span<Vec3f> out, Executor* executor,
                const Matrix4d& after) {
  // The other kernels read packed points, so the blended points are computed as a whole first.
  if (method != SkinningMethod::kLinear || !IsAffine(geom_bind) || !IsAffine(after)) {
    return SkinPoints(method, influences, geom_bind, joints, points.ToArray().span(), out, executor,
                      after);
  }
  // Each block of points is blended where it is skinned, while it is in the processor's cache.
  static_assert(BlendedVectors::kBlock == SkinningInfluences::kBlock);
  const LinearJoints rows(geom_bind, joints, after);
  ForBlocks(influences, executor, [&](const Block& block) {
    WideVector moved[SkinningInfluences::kBlock];
    points.Fill(block.first_point / BlendedVectors::kBlock, moved);
    SkinBlock(block, rows.rows.data(), moved, rows.offset, out.data() + block.first_point);
  });
}

void SkinNormals(SkinningMethod method, const SkinningInfluences& influences,
                 const Matrix3d& geom_bind, std::span<const Matrix3d> joints,
                 std::span<const Vec3f> normals, std::span<Vec3f> out, Executor* executor) {
  if (method == SkinningMethod::kDualQuaternion) {
    const DualQuaternionFrame frame = {.before = TransformMatrix(geom_bind), .unit_length = true};
    return SkinByMotions(influences, JointDualQuaternions(joints), frame, normals, out, executor);
  }
  std::vector<JointRows> rows;
  rows.reserve(joints.size());
  for (const Matrix3d& m : joints) rows.push_back(RowsOf(geom_bind * m));
  ForBlocks(influences, executor, [&](const Block& block) {
    SkinNormalBlock(block, rows.data(), normals.data() + block.first_point,
                    out.data() + block.first_point);
  });
}

Matrix3d NormalMatrix(const Matrix4d& m) { return Transpose(Inverse(ExtractRotationMatrix(m))); }

std::optional<Matrix4d> SkinTransform(SkinningMethod method, const Matrix4d& geom_bind,
                                      std::span<const Matrix4d> joints,
                                      std::span<const int> indices,
                                      std::span<const float> weights) {
  // Checked here, because constant influences are not laid out by SkinningInfluences.
  for (const int index : indices) {
    if (index < 0 || static_cast<size_t>(index) >= joints.size()) return std::nullopt;
  }
  // A prim that follows one joint gets the exact product, as in OpenUSD.
  if (indices.size() == 1 && std::abs(weights[0] - 1) < 1e-6) {
    return geom_bind * joints[static_cast<size_t>(indices[0])];
  }
  // Otherwise the pivot and the ends of the three axes are skinned as points, and the transform is
  // read from them: blended matrices would not be what the points of the prim experience.
  const Vec3f pivot = VecCast<float>(ExtractTranslation(geom_bind));
  Vec3f frame[4] = {pivot, pivot, pivot, pivot};
  for (int i = 0; i < 3; ++i) {
    const Vec3f axis{static_cast<float>(geom_bind.m[i][0]), static_cast<float>(geom_bind.m[i][1]),
                     static_cast<float>(geom_bind.m[i][2])};
    frame[i] = pivot + axis;
  }
  if (method == SkinningMethod::kDualQuaternion) {
    const JointDualQuaternions motions(joints);
    const auto pivot =
        static_cast<size_t>(std::max_element(weights.begin(), weights.end()) - weights.begin());
    for (Vec3f& p : frame) {
      p = VecCast<float>(
          BlendDualQuaternions(motions, p, indices.data(), weights.data(), weights.size(), pivot));
    }
  } else {
    for (Vec3f& p : frame) {
      Vec3f sum{};
      for (size_t i = 0; i < indices.size(); ++i) {
        if (weights[i] == 0) continue;
        const Matrix4d& joint = joints[static_cast<size_t>(indices[i])];
        sum = sum + VecCast<float>(TransformAffine(VecCast<double>(p), joint)) * weights[i];
      }
      p = sum;
    }
  }
  Matrix4d result = TranslationMatrix(VecCast<double>(frame[3]));
  for (int i = 0; i < 3; ++i) {
    const Vec3f axis = frame[i] - frame[3];
    for (int j = 0; j < 3; ++j) result.m[i][j] = axis[j];
  }
  return result;
}

void SkinPointsReference(SkinningMethod method, const SkinningInfluences& influences,
                         const Matrix4d& geom_bind, std::span<const Matrix4d> joints,
                         std::span<const Vec3f> points, std::span<Vec3f> out) {
  // Influences come laid out: the largest weight first, which is the pivot of OpenUSD.
  const bool linear = method == SkinningMethod::kLinear;
  const JointDualQuaternions motions(linear ? std::span<const Matrix4d>() : joints);
  ForBlocks(influences, nullptr, [&](const Block& block) {
    for (size_t i = 0; i < block.points; ++i) {
      const Vec3f bound = BindPoint(points[block.first_point + i], geom_bind);
      const uint32_t* indices = block.joints + i * block.per_point;
      const float* weights = block.weights + i * block.per_point;
      out[block.first_point + i] =
          linear ? SkinLinearly(bound, indices, weights, block.per_point, joints)
                 : VecCast<float>(
                       BlendDualQuaternions(motions, bound, indices, weights, block.per_point, 0));
    }
  });
}

}  // namespace stagedoor

#include "scene/skel/skinning.h"

#include <algorithm>
#include <cmath>

#include "scene/skel/dual_quaternion.h"
#include "scene/skel/matrix_kernels.h"
#include "scene/skel/skinning_kernels.h"
#include "scene/values/matrix_math.h"

namespace stagedoor {
namespace {

using Block = PreparedInfluences::Block;

// Runs fn(block) for all blocks.
template <typename Fn>
void ForBlocks(const PreparedInfluences& influences, Executor* executor, const Fn& fn) {
  constexpr size_t kGrain = 32;  // blocks
  const auto range = [&](size_t begin, size_t end) {
    for (size_t i = begin; i < end; ++i) fn(influences.block(i));
  };
  if (executor && influences.blocks() > 2 * kGrain) {
    ParallelFor(*executor, influences.blocks(), kGrain, range);
  } else {
    range(0, influences.blocks());
  }
}

bool IsAffine(const Matrix4d& m) {
  return m.m[0][3] == 0 && m.m[1][3] == 0 && m.m[2][3] == 0 && m.m[3][3] == 1;
}

Vec3f BindPoint(const Vec3f& p, const Matrix4d& geom_bind) {
  return VecCast<float>(Transform(VecCast<double>(p), geom_bind));
}

// What dual quaternion skinning makes of joints: rigid motions, and the scales that come before
// them.
struct RigidJoints {
  std::vector<DualQuaternion> motions;
  std::vector<Matrix3d> scales;
  bool any_scale = false;

  explicit RigidJoints(std::span<const Matrix4d> joints) {
    for (const Matrix4d& m : joints) Add(m);
  }
  explicit RigidJoints(std::span<const Matrix3d> joints) {
    for (const Matrix3d& m : joints) {
      Matrix3d rotation = m;
      Orthonormalize(&rotation);
      motions.push_back(DualQuaternion::From(ExtractRotation(rotation), {}));
      AddScale(m * Inverse(rotation));
    }
  }

 private:
  void Add(const Matrix4d& m) {
    MatrixFactors factors;
    if (!Factor(m, &factors)) {
      motions.push_back({});
      scales.push_back(Matrix3d::Identity());
      return;
    }
    Orthonormalize(&factors.rotation);
    motions.push_back(
        DualQuaternion::From(ExtractRotation(Matrix3Of(factors.rotation)), factors.translation));
    const Matrix4d rigid = factors.rotation * TranslationMatrix(factors.translation);
    AddScale(Matrix3Of(m * Inverse(rigid)));
  }
  void AddScale(const Matrix3d& scale) {
    for (int i = 0; i < 3; ++i) {
      for (int j = 0; j < 3; ++j) {
        any_scale = any_scale || !(std::abs(scale.m[i][j] - (i == j)) < 1e-6);
      }
    }
    scales.push_back(scale);
  }
};

// One element moved by the blend of rigid motions; the scales apply linearly before.
class RigidBlend {
 public:
  RigidBlend(const RigidJoints& joints, const Vec3f& element)
      : joints_(joints), element_(element) {}

  template <typename Index>
  Vec3d Blend(const Index* indices, const float* weights, size_t count) {
    const Quatd pivot = Pivot(indices, weights, count);
    Vec3f scaled{};
    DualQuaternion sum{};
    for (size_t i = 0; i < count; ++i) {
      float w = weights[i];
      if (w == 0) continue;
      const size_t joint = static_cast<size_t>(indices[i]);
      if (joints_.any_scale) {
        const Vec3d part = VecCast<double>(element_) * joints_.scales[joint];
        scaled = scaled + VecCast<float>(part) * w;
      }
      const Quatd& real = joints_.motions[joint].real;
      const double agreement = Dot(real.imaginary, pivot.imaginary) + real.real * pivot.real;
      if (agreement < 0) w = -w;
      sum.Add(joints_.motions[joint], w);
    }
    sum.Normalize();
    return sum.Transform(VecCast<double>(joints_.any_scale ? scaled : element_));
  }

 private:
  // The rotation of the joint with the largest weight: the others take its side.
  template <typename Index>
  Quatd Pivot(const Index* indices, const float* weights, size_t count) const {
    size_t best = 0;
    for (size_t i = 1; i < count; ++i) {
      if (weights[best] < weights[i]) best = i;
    }
    return count ? joints_.motions[static_cast<size_t>(indices[best])].real : Quatd();
  }

  const RigidJoints& joints_;
  const Vec3f element_;
};

JointRows RowsOf(const Matrix3d& m) {
  JointRows rows = {};
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) rows.rows[i][j] = static_cast<float>(m.m[i][j]);
  }
  return rows;
}

// Without the translation: that is added once, not by weight.
Matrix4d LinearPart(const Matrix4d& m) { return Matrix4Of(Matrix3Of(m)); }

void SkinRigidBlends(const PreparedInfluences& influences, const Matrix4d& geom_bind,
                     std::span<const Matrix4d> joints, std::span<const Vec3f> points,
                     std::span<Vec3f> out, Executor* executor) {
  const RigidJoints rigid(joints);
  ForBlocks(influences, executor, [&](const Block& block) {
    for (size_t i = 0; i < block.points; ++i) {
      const size_t p = block.first_point + i;
      RigidBlend blend(rigid, BindPoint(points[p], geom_bind));
      out[p] = VecCast<float>(blend.Blend(block.joints + i * block.per_point,
                                          block.weights + i * block.per_point, block.per_point));
    }
  });
}

}  // namespace

void SkinPoints(SkinningMethod method, const PreparedInfluences& influences,
                const Matrix4d& geom_bind, std::span<const Matrix4d> joints,
                std::span<const Vec3f> points, std::span<Vec3f> out, Executor* executor,
                const Matrix4d& after) {
  const bool stays = after == Matrix4d::Identity();
  if (method == SkinningMethod::kDualQuaternion || !IsAffine(geom_bind) || !IsAffine(after)) {
    if (method == SkinningMethod::kDualQuaternion) {
      SkinRigidBlends(influences, geom_bind, joints, points, out, executor);
    } else {
      SkinPointsReference(influences, geom_bind, joints, points, out);
    }
    if (stays) return;
    for (Vec3f& p : out) p = VecCast<float>(Transform(VecCast<double>(p), after));
    return;
  }
  std::vector<JointRows> rows(joints.size());
  Vec3f offset{};
  if (stays) {
    MakeJointRows(geom_bind, joints, rows);
  } else {
    std::vector<Matrix4d> moved(joints.size());
    MultiplyMatrices(joints, LinearPart(after), moved);
    MakeJointRows(geom_bind, moved, rows);
    offset = VecCast<float>(Translation(after));
  }
  ForBlocks(influences, executor, [&](const Block& block) {
    SkinBlock(block, rows.data(), points.data() + block.first_point, offset,
              out.data() + block.first_point);
  });
}

void SkinNormals(SkinningMethod method, const PreparedInfluences& influences,
                 const Matrix3d& geom_bind, std::span<const Matrix3d> joints,
                 std::span<const Vec3f> normals, std::span<Vec3f> out, Executor* executor) {
  if (method == SkinningMethod::kDualQuaternion) {
    const RigidJoints rigid(joints);
    ForBlocks(influences, executor, [&](const Block& block) {
      for (size_t i = 0; i < block.points; ++i) {
        const size_t n = block.first_point + i;
        const Vec3d bound = VecCast<double>(normals[n]) * geom_bind;
        RigidBlend blend(rigid, VecCast<float>(bound));
        out[n] = VecCast<float>(
            Normalized(blend.Blend(block.joints + i * block.per_point,
                                   block.weights + i * block.per_point, block.per_point)));
      }
    });
    return;
  }
  std::vector<JointRows> rows;
  rows.reserve(joints.size());
  for (const Matrix3d& m : joints) rows.push_back(RowsOf(geom_bind * m));
  ForBlocks(influences, executor, [&](const Block& block) {
    SkinNormalBlock(block, rows.data(), normals.data() + block.first_point,
                    out.data() + block.first_point);
  });
}

Matrix3d NormalMatrix(const Matrix4d& m) { return Transpose(Inverse(Matrix3Of(m))); }

std::optional<Matrix4d> SkinTransform(SkinningMethod method, const Matrix4d& geom_bind,
                                      std::span<const Matrix4d> joints,
                                      std::span<const int> indices,
                                      std::span<const float> weights) {
  for (const int index : indices) {
    if (index < 0 || static_cast<size_t>(index) >= joints.size()) return std::nullopt;
  }
  if (indices.size() == 1 && std::abs(weights[0] - 1) < 1e-6) {
    return geom_bind * joints[static_cast<size_t>(indices[0])];
  }
  // A frame of four points is skinned, and the transform read off it.
  const Vec3f pivot = VecCast<float>(Translation(geom_bind));
  Vec3f frame[4] = {pivot, pivot, pivot, pivot};
  for (int i = 0; i < 3; ++i) {
    const Vec3f axis{static_cast<float>(geom_bind.m[i][0]), static_cast<float>(geom_bind.m[i][1]),
                     static_cast<float>(geom_bind.m[i][2])};
    frame[i] = pivot + axis;
  }
  if (method == SkinningMethod::kDualQuaternion) {
    const RigidJoints rigid(joints);
    for (Vec3f& p : frame) {
      p = VecCast<float>(
          RigidBlend(rigid, p).Blend(indices.data(), weights.data(), weights.size()));
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

void SkinPointsReference(const PreparedInfluences& influences, const Matrix4d& geom_bind,
                         std::span<const Matrix4d> joints, std::span<const Vec3f> points,
                         std::span<Vec3f> out) {
  ForBlocks(influences, nullptr, [&](const Block& block) {
    for (size_t i = 0; i < block.points; ++i) {
      const size_t p = block.first_point + i;
      const Vec3d bound = VecCast<double>(BindPoint(points[p], geom_bind));
      Vec3f sum{};
      for (size_t k = i * block.per_point; k < (i + 1) * block.per_point; ++k) {
        if (block.weights[k] == 0) continue;
        const Vec3f moved = VecCast<float>(TransformAffine(bound, joints[block.joints[k]]));
        sum = sum + moved * block.weights[k];
      }
      out[p] = sum;
    }
  });
}

}  // namespace stagedoor

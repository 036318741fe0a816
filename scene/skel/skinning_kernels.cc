#include "scene/skel/skinning_kernels.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "scene/skel/skinning_kernels.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace stagedoor::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

#if HWY_TARGET != HWY_SCALAR
using Row = hn::FixedTag<float, 4>;
// A whole joint (16 floats) at once where vectors are wide enough, else half or a quarter of it.
using Rows = hn::CappedTag<float, 16>;

// The sum of a vector's groups of four.
template <class D, class V = hn::Vec<D>>
HWY_INLINE hn::Vec<Row> SumRows(D d, V v) {
  if constexpr (HWY_MAX_BYTES >= 64) {
    const hn::Half<D> d8;
    const hn::Half<decltype(d8)> d4;
    const auto half = hn::Add(hn::LowerHalf(d8, v), hn::UpperHalf(d8, v));
    return hn::Add(hn::LowerHalf(d4, half), hn::UpperHalf(d4, half));
  } else if constexpr (HWY_MAX_BYTES >= 32) {
    const hn::Half<D> d4;
    return hn::Add(hn::LowerHalf(d4, v), hn::UpperHalf(d4, v));
  } else {
    return v;
  }
}

// Blends and transforms one point: `point` is (x, y, z, 1).
template <size_t kParts>
HWY_INLINE hn::Vec<Row> SkinOne(const JointRows* joints, const uint32_t* indices,
                                const float* weights, size_t count, const float* point) {
  const Rows d;
  constexpr size_t kLanes = 16 / kParts;
  const float* first = &joints[indices[0]].rows[0][0];
  const auto w0 = hn::Set(d, weights[0]);
  auto part0 = hn::Mul(w0, hn::Load(d, first));
  auto part1 = part0;
  auto part2 = part0;
  auto part3 = part0;
  if constexpr (kParts > 1) part1 = hn::Mul(w0, hn::Load(d, first + kLanes));
  if constexpr (kParts > 2) {
    part2 = hn::Mul(w0, hn::Load(d, first + 2 * kLanes));
    part3 = hn::Mul(w0, hn::Load(d, first + 3 * kLanes));
  }
  for (size_t i = 1; i < count; ++i) {
    const float* rows = &joints[indices[i]].rows[0][0];
    const auto w = hn::Set(d, weights[i]);
    part0 = hn::MulAdd(w, hn::Load(d, rows), part0);
    if constexpr (kParts > 1) part1 = hn::MulAdd(w, hn::Load(d, rows + kLanes), part1);
    if constexpr (kParts > 2) {
      part2 = hn::MulAdd(w, hn::Load(d, rows + 2 * kLanes), part2);
      part3 = hn::MulAdd(w, hn::Load(d, rows + 3 * kLanes), part3);
    }
  }
  // Each group of four lanes times the point's coordinate of that row.
  const auto xyz1 = hn::LoadDup128(d, point);
  if constexpr (kParts == 1) {
    HWY_ALIGN static constexpr int32_t kRow[16] = {0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3};
    const auto c = hn::TableLookupLanes(xyz1, hn::SetTableIndices(d, kRow));
    return SumRows(d, hn::Mul(part0, c));
  } else if constexpr (kParts == 2) {
    HWY_ALIGN static constexpr int32_t kLow[8] = {0, 0, 0, 0, 1, 1, 1, 1};
    HWY_ALIGN static constexpr int32_t kHigh[8] = {2, 2, 2, 2, 3, 3, 3, 3};
    const auto low = hn::TableLookupLanes(xyz1, hn::SetTableIndices(d, kLow));
    const auto high = hn::TableLookupLanes(xyz1, hn::SetTableIndices(d, kHigh));
    return SumRows(d, hn::MulAdd(part0, low, hn::Mul(part1, high)));
  } else {
    const auto sum = hn::MulAdd(part0, hn::Set(d, point[0]), part3);
    return SumRows(
        d, hn::MulAdd(part2, hn::Set(d, point[2]), hn::MulAdd(part1, hn::Set(d, point[1]), sum)));
  }
}

HWY_INLINE void NormalizeTo(float* v) {
  const float length = std::sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
  const float scale = 1.0f / std::max(length, 1e-10f);
  for (int i = 0; i < 3; ++i) v[i] *= scale;
}

void SkinBlockKernel(const PreparedInfluences::Block& block, const JointRows* joints,
                     const Vec3f* points, bool normalize, Vec3f* out) {
  constexpr size_t kParts = HWY_MAX_BYTES >= 64 ? 1 : HWY_MAX_BYTES >= 32 ? 2 : 4;
  const Row row;
  // Results are four lanes wide; here they may spill into the next one, in `out` they may not.
  alignas(64) float wide[PreparedInfluences::kBlock * 4];
  for (size_t i = 0; i < block.points; ++i) {
    wide[4 * i] = points[i][0];
    wide[4 * i + 1] = points[i][1];
    wide[4 * i + 2] = points[i][2];
    wide[4 * i + 3] = 1;
  }
  const uint32_t* indices = block.joints;
  const float* weights = block.weights;
  float* to = out->v;
  for (size_t i = 0; i < block.points; ++i) {
    const auto skinned = SkinOne<kParts>(joints, indices, weights, block.per_point, wide + 4 * i);
    if (normalize || i + 1 == block.points) {
      HWY_ALIGN float last[4];
      hn::Store(skinned, row, last);
      if (normalize) NormalizeTo(last);
      std::memcpy(to + 3 * i, last, 3 * sizeof(float));
    } else {
      hn::StoreU(skinned, row, to + 3 * i);
    }
    indices += block.per_point;
    weights += block.per_point;
  }
}
#else
void SkinBlockKernel(const PreparedInfluences::Block& block, const JointRows* joints,
                     const Vec3f* points, bool normalize, Vec3f* out) {
  for (size_t i = 0; i < block.points; ++i) {
    float sum[3] = {};
    for (size_t k = i * block.per_point; k < (i + 1) * block.per_point; ++k) {
      const auto& rows = joints[block.joints[k]].rows;
      for (int c = 0; c < 3; ++c) {
        sum[c] += block.weights[k] * (points[i][0] * rows[0][c] + points[i][1] * rows[1][c] +
                                      points[i][2] * rows[2][c] + rows[3][c]);
      }
    }
    const float length = std::sqrt(sum[0] * sum[0] + sum[1] * sum[1] + sum[2] * sum[2]);
    const float scale = normalize ? 1.0f / std::max(length, 1e-10f) : 1.0f;
    for (int c = 0; c < 3; ++c) out[i][c] = sum[c] * scale;
  }
}
#endif

}  // namespace stagedoor::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace stagedoor {

HWY_EXPORT(SkinBlockKernel);

void SkinBlock(const PreparedInfluences::Block& block, const JointRows* joints, const Vec3f* points,
               bool normalize, Vec3f* out) {
  HWY_DYNAMIC_DISPATCH(SkinBlockKernel)(block, joints, points, normalize, out);
}

}  // namespace stagedoor
#endif

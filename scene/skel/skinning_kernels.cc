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

// Points with a fourth coordinate of `fourth`, four lanes each.
HWY_INLINE void Widen(const Vec3f* points, size_t count, float fourth, float* HWY_RESTRICT wide) {
  for (size_t i = 0; i < count; ++i) {
    wide[4 * i] = points[i][0];
    wide[4 * i + 1] = points[i][1];
    wide[4 * i + 2] = points[i][2];
    wide[4 * i + 3] = fourth;
  }
}

constexpr size_t kParts = HWY_MAX_BYTES >= 64 ? 1 : HWY_MAX_BYTES >= 32 ? 2 : 4;

void SkinBlockKernel(const PreparedInfluences::Block& block, const JointRows* joints,
                     const Vec3f* points, const Vec3f& offset, Vec3f* out) {
  const Row row;
  HWY_ALIGN const float offset4[4] = {offset[0], offset[1], offset[2], 0};
  const auto moved = hn::Load(row, offset4);
  alignas(64) float wide[PreparedInfluences::kBlock * 4];
  Widen(points, block.points, 1, wide);
  const uint32_t* indices = block.joints;
  const float* weights = block.weights;
  float* to = out->v;
  // Results are four lanes wide and may spill into the next point, but not behind the last.
  const size_t last = block.points - 1;
  for (size_t i = 0; i < last; ++i) {
    const auto skinned = SkinOne<kParts>(joints, indices, weights, block.per_point, wide + 4 * i);
    hn::StoreU(hn::Add(skinned, moved), row, to + 3 * i);
    indices += block.per_point;
    weights += block.per_point;
  }
  HWY_ALIGN float lanes[4];
  const auto skinned = SkinOne<kParts>(joints, indices, weights, block.per_point, wide + 4 * last);
  hn::Store(hn::Add(skinned, moved), row, lanes);
  std::memcpy(to + 3 * last, lanes, 3 * sizeof(float));
}

// Many at once: lengths as vectors of x, y and z.
HWY_INLINE void NormalizeWide(float* HWY_RESTRICT wide, size_t count) {
  const hn::ScalableTag<float> d;
  const size_t lanes = hn::Lanes(d);
  for (size_t i = 0; i < count; i += lanes) {
    hn::Vec<decltype(d)> x, y, z, w;
    hn::LoadInterleaved4(d, wide + 4 * i, x, y, z, w);
    const auto squares = hn::MulAdd(x, x, hn::MulAdd(y, y, hn::Mul(z, z)));
    const auto scale = hn::Div(hn::Set(d, 1.0f), hn::Max(hn::Sqrt(squares), hn::Set(d, 1e-10f)));
    hn::StoreInterleaved4(hn::Mul(x, scale), hn::Mul(y, scale), hn::Mul(z, scale), w, d,
                          wide + 4 * i);
  }
}

void SkinNormalBlockKernel(const PreparedInfluences::Block& block, const JointRows* joints,
                           const Vec3f* normals, Vec3f* out) {
  const Row row;
  // Lengths are taken in whole vectors: of up to 64 lanes here.
  alignas(64) float wide[(PreparedInfluences::kBlock + 64) * 4];
  Widen(normals, block.points, 0, wide);
  std::fill_n(wide + 4 * block.points, 4 * 64, 0.0f);
  const uint32_t* indices = block.joints;
  const float* weights = block.weights;
  for (size_t i = 0; i < block.points; ++i) {
    float* at = wide + 4 * i;
    hn::Store(SkinOne<kParts>(joints, indices, weights, block.per_point, at), row, at);
    indices += block.per_point;
    weights += block.per_point;
  }
  NormalizeWide(wide, block.points);
  for (size_t i = 0; i < block.points; ++i) std::memcpy(out[i].v, wide + 4 * i, sizeof(Vec3f));
}
#else
void SkinBlockKernel(const PreparedInfluences::Block& block, const JointRows* joints,
                     const Vec3f* points, const Vec3f& offset, Vec3f* out) {
  for (size_t i = 0; i < block.points; ++i) {
    float sum[3] = {offset[0], offset[1], offset[2]};
    for (size_t k = i * block.per_point; k < (i + 1) * block.per_point; ++k) {
      const auto& rows = joints[block.joints[k]].rows;
      for (int c = 0; c < 3; ++c) {
        sum[c] += block.weights[k] * (points[i][0] * rows[0][c] + points[i][1] * rows[1][c] +
                                      points[i][2] * rows[2][c] + rows[3][c]);
      }
    }
    for (int c = 0; c < 3; ++c) out[i][c] = sum[c];
  }
}

void SkinNormalBlockKernel(const PreparedInfluences::Block& block, const JointRows* joints,
                           const Vec3f* normals, Vec3f* out) {
  SkinBlockKernel(block, joints, normals, {}, out);
  for (size_t i = 0; i < block.points; ++i) {
    const float length =
        std::sqrt(out[i][0] * out[i][0] + out[i][1] * out[i][1] + out[i][2] * out[i][2]);
    for (int c = 0; c < 3; ++c) out[i][c] *= 1.0f / std::max(length, 1e-10f);
  }
}
#endif

}  // namespace stagedoor::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace stagedoor {

HWY_EXPORT(SkinBlockKernel);
HWY_EXPORT(SkinNormalBlockKernel);

void SkinBlock(const PreparedInfluences::Block& block, const JointRows* joints, const Vec3f* points,
               const Vec3f& offset, Vec3f* out) {
  HWY_DYNAMIC_DISPATCH(SkinBlockKernel)(block, joints, points, offset, out);
}

void SkinNormalBlock(const PreparedInfluences::Block& block, const JointRows* joints,
                     const Vec3f* normals, Vec3f* out) {
  HWY_DYNAMIC_DISPATCH(SkinNormalBlockKernel)(block, joints, normals, out);
}

}  // namespace stagedoor
#endif

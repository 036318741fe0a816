#include "scene/skel/skinning_kernels.h"

#include <algorithm>
#include <cmath>
#include <cstring>

// Highway includes this file again for each instruction set, and selects one of the results at run
// time; code between HWY_BEFORE_NAMESPACE and HWY_AFTER_NAMESPACE is compiled each time.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "scene/skel/skinning_kernels.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
#include "hwy/highway.h"
#include "scene/values/vec.h"

HWY_BEFORE_NAMESPACE();
namespace stagedoor::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

#if HWY_TARGET != HWY_SCALAR
using Row = hn::FixedTag<float, 4>;
// A joint (16 floats) in one vector if vectors are wide enough, otherwise in two or four.
using Rows = hn::CappedTag<float, 16>;

// The sum of the groups of four lanes, which are the rows of a matrix.
template <class D, class V = hn::Vec<D>>
HWY_INLINE hn::Vec<Row> SumRows([[maybe_unused]] D d, V v) {
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

constexpr size_t kParts = HWY_MAX_BYTES >= 64 ? 1 : HWY_MAX_BYTES >= 32 ? 2 : 4;
constexpr size_t kLanes = 16 / kParts;

// The weighted sum of a point's joints, in as many vectors as hold 16 floats. Blending matrices and
// transforming once costs less than transforming the point by each joint, and gives the same up to
// rounding. kCount is the number of influences if it is known at compile time, else zero.
struct Blended {
  hn::Vec<Rows> part[kParts];
};

template <size_t kCount>
HWY_INLINE Blended BlendRows(const JointRows* joints, const uint32_t* indices, const float* weights,
                             size_t count) {
  const Rows d;
  Blended sum;
  const float* first = &joints[indices[0]].rows[0][0];
  const auto w0 = hn::Set(d, weights[0]);
  for (size_t p = 0; p < kParts; ++p) {
    sum.part[p] = hn::Mul(w0, hn::Load(d, first + p * kLanes));
  }
  for (size_t i = 1; i < (kCount ? kCount : count); ++i) {
    const float* rows = &joints[indices[i]].rows[0][0];
    const auto w = hn::Set(d, weights[i]);
    for (size_t p = 0; p < kParts; ++p) {
      sum.part[p] = hn::MulAdd(w, hn::Load(d, rows + p * kLanes), sum.part[p]);
    }
  }
  return sum;
}

// Arranges a point for the rows of a matrix: x, y, z and 1, four times each.
class RowCoordinates {
 public:
#if HWY_MAX_BYTES >= 32
  HWY_INLINE RowCoordinates() : order_(hn::SetTableIndices(Rows(), kRow)) {}
  // `xyz` has the point in each group of four lanes. Returns the sum of products and `offset`.
  HWY_INLINE hn::Vec<Row> Transform(hn::Vec<Rows> xyz, const Blended& m,
                                    hn::Vec<Rows> offset) const {
    const Rows d;
    const auto one = hn::Set(d, 1.0f);
    if constexpr (kParts == 1) {
      const auto c = hn::IfThenElse(hn::FirstN(d, 12), hn::TableLookupLanes(xyz, order_), one);
      return SumRows(d, hn::MulAdd(m.part[0], c, offset));
    } else {
      const auto low = hn::TableLookupLanes(xyz, order_);
      const auto z = hn::Broadcast<2>(xyz);
      const auto high = hn::ConcatUpperLower(d, one, z);
      return SumRows(d, hn::MulAdd(m.part[0], low, hn::MulAdd(m.part[1], high, offset)));
    }
  }

 private:
  static constexpr int32_t kRow[16] = {0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3};
  decltype(hn::SetTableIndices(Rows(), kRow)) order_;
#else
  HWY_INLINE hn::Vec<Row> Transform(hn::Vec<Rows> xyz, const Blended& m,
                                    hn::Vec<Rows> offset) const {
    const auto moved = hn::Add(m.part[3], offset);
    const auto z = hn::MulAdd(m.part[2], hn::Broadcast<2>(xyz), moved);
    const auto y = hn::MulAdd(m.part[1], hn::Broadcast<1>(xyz), z);
    return hn::MulAdd(m.part[0], hn::Broadcast<0>(xyz), y);
  }
#endif
};

// Calls put(i, point) with each skinned point as four lanes. Points are `kStride` floats apart.
// Four floats are read of each, but only three of the last one, after which the array may end. A
// point is read before its predecessor is put, so `put` may write in place.
template <size_t kCount, size_t kStride, class Put>
HWY_INLINE void SkinAll(const SkinningInfluences::Block& block, const JointRows* joints,
                        const float* points, const Vec3f& offset, const Put& put) {
  const Rows d;
  const RowCoordinates coordinates;
  // In the first row only, because the rows are summed.
  HWY_ALIGN float first_row[16] = {offset[0], offset[1], offset[2]};
  const auto moved = hn::Load(d, first_row);
  const size_t last = block.points - 1;
  HWY_ALIGN float tail[4] = {};
  std::memcpy(tail, points + kStride * last, 3 * sizeof(float));
  const uint32_t* indices = block.joints;
  const float* weights = block.weights;
  const size_t count = kCount ? kCount : block.per_point;
  auto xyz = hn::LoadDup128(d, last == 0 ? tail : points);
  for (size_t i = 0; i <= last; ++i) {
    const auto next = hn::LoadDup128(d, i + 1 >= last ? tail : points + kStride * (i + 1));
    put(i, coordinates.Transform(xyz, BlendRows<kCount>(joints, indices, weights, count), moved));
    xyz = next;
    indices += count;
    weights += count;
  }
}

// Common numbers of influences get loops that the compiler can unroll.
template <size_t kStride, class Put>
HWY_INLINE void SkinBlockInto(const SkinningInfluences::Block& block, const JointRows* joints,
                              const float* points, const Vec3f& offset, const Put& put) {
  switch (block.per_point) {
    case 1:
      return SkinAll<1, kStride>(block, joints, points, offset, put);
    case 2:
      return SkinAll<2, kStride>(block, joints, points, offset, put);
    case 3:
      return SkinAll<3, kStride>(block, joints, points, offset, put);
    case 4:
      return SkinAll<4, kStride>(block, joints, points, offset, put);
    default:
      return SkinAll<0, kStride>(block, joints, points, offset, put);
  }
}

template <size_t kStride>
HWY_INLINE void SkinPointBlock(const SkinningInfluences::Block& block, const JointRows* joints,
                               const float* points, const Vec3f& offset, Vec3f* out) {
  const Row row;
  const size_t last = block.points - 1;
  SkinBlockInto<kStride>(block, joints, points, offset, [&](size_t i, hn::Vec<Row> point) {
    // Results are four lanes wide. The fourth may spill into the next point, which is written
    // later, but not past the last one.
    if (HWY_LIKELY(i != last)) return hn::StoreU(point, row, out[i].v);
    HWY_ALIGN float lanes[4];
    hn::Store(point, row, lanes);
    std::memcpy(out[last].v, lanes, sizeof(Vec3f));
  });
}

void SkinBlockKernel(const SkinningInfluences::Block& block, const JointRows* joints,
                     const Vec3f* points, const Vec3f& offset, Vec3f* out) {
  SkinPointBlock<3>(block, joints, points->v, offset, out);
}

void SkinWideBlockKernel(const SkinningInfluences::Block& block, const JointRows* joints,
                         const WideVector* points, const Vec3f& offset, Vec3f* out) {
  SkinPointBlock<4>(block, joints, points->v, offset, out);
}

// Normalizes many at once, with vectors of x, of y and of z: square roots and divisions are slow,
// and one per point would use a quarter of the lanes. Zero vectors stay zero.
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

// Packs the result of NormalizeWide.
HWY_INLINE void Narrow(const float* wide, size_t count, Vec3f* out) {
  const Row row;
  for (size_t i = 0; i + 1 < count; ++i) hn::StoreU(hn::Load(row, wide + 4 * i), row, out[i].v);
  std::memcpy(out[count - 1].v, wide + 4 * (count - 1), sizeof(Vec3f));
}

void SkinNormalBlockKernel(const SkinningInfluences::Block& block, const JointRows* joints,
                           const Vec3f* normals, Vec3f* out) {
  const Row row;
  // NormalizeWide works on whole vectors, which may have up to 64 lanes; those past the last normal
  // must not be uninitialized.
  alignas(64) float wide[(SkinningInfluences::kBlock + 64) * 4];
  SkinBlockInto<3>(block, joints, normals->v, {},
                   [&](size_t i, hn::Vec<Row> normal) { hn::Store(normal, row, wide + 4 * i); });
  std::fill_n(wide + 4 * block.points, 4 * 64, 0.0f);
  NormalizeWide(wide, block.points);
  Narrow(wide, block.points, out);
}
#else
// Plain loops for targets without vectors of four floats.
template <class Point>
void SkinPlainly(const SkinningInfluences::Block& block, const JointRows* joints,
                 const Point* points, const Vec3f& offset, Vec3f* out) {
  for (size_t i = 0; i < block.points; ++i) {
    const float* p = points[i].v;
    float sum[3] = {offset[0], offset[1], offset[2]};
    for (size_t k = i * block.per_point; k < (i + 1) * block.per_point; ++k) {
      const auto& rows = joints[block.joints[k]].rows;
      for (int c = 0; c < 3; ++c) {
        sum[c] += block.weights[k] *
                  (p[0] * rows[0][c] + p[1] * rows[1][c] + p[2] * rows[2][c] + rows[3][c]);
      }
    }
    for (int c = 0; c < 3; ++c) out[i][c] = sum[c];
  }
}

void SkinBlockKernel(const SkinningInfluences::Block& block, const JointRows* joints,
                     const Vec3f* points, const Vec3f& offset, Vec3f* out) {
  SkinPlainly(block, joints, points, offset, out);
}

void SkinWideBlockKernel(const SkinningInfluences::Block& block, const JointRows* joints,
                         const WideVector* points, const Vec3f& offset, Vec3f* out) {
  SkinPlainly(block, joints, points, offset, out);
}

void SkinNormalBlockKernel(const SkinningInfluences::Block& block, const JointRows* joints,
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
HWY_EXPORT(SkinWideBlockKernel);
HWY_EXPORT(SkinNormalBlockKernel);

void SkinBlock(const SkinningInfluences::Block& block, const JointRows* joints, const Vec3f* points,
               const Vec3f& offset, Vec3f* out) {
  HWY_DYNAMIC_DISPATCH(SkinBlockKernel)(block, joints, points, offset, out);
}

void SkinBlock(const SkinningInfluences::Block& block, const JointRows* joints,
               const WideVector* points, const Vec3f& offset, Vec3f* out) {
  HWY_DYNAMIC_DISPATCH(SkinWideBlockKernel)(block, joints, points, offset, out);
}

void SkinNormalBlock(const SkinningInfluences::Block& block, const JointRows* joints,
                     const Vec3f* normals, Vec3f* out) {
  HWY_DYNAMIC_DISPATCH(SkinNormalBlockKernel)(block, joints, normals, out);
}

}  // namespace stagedoor
#endif

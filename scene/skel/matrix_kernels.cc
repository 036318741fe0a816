#include "scene/skel/matrix_kernels.h"

#include <algorithm>

// Highway includes this file again for each instruction set, and selects one of the results at run
// time; code between HWY_BEFORE_NAMESPACE and HWY_AFTER_NAMESPACE is compiled each time.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "scene/skel/matrix_kernels.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
#include "hwy/highway.h"
#include "scene/values/matrix.h"

HWY_BEFORE_NAMESPACE();
namespace stagedoor::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// A row, or the part of it that a vector holds.
using RowPart = hn::CappedTag<double, 4>;

// The product is complete before it is stored, because `out` may be `a` or `b`.
HWY_INLINE void MultiplyInto(const Matrix4d& a, const Matrix4d& b, Matrix4d* out) {
  const RowPart d;
  const size_t lanes = hn::Lanes(d);
  // Each row of the product is the sum of the rows of `b`, weighted by a row of `a`.
  Matrix4d product;
  for (size_t c = 0; c < 4; c += lanes) {
    const auto b0 = hn::LoadU(d, b.m[0] + c);
    const auto b1 = hn::LoadU(d, b.m[1] + c);
    const auto b2 = hn::LoadU(d, b.m[2] + c);
    const auto b3 = hn::LoadU(d, b.m[3] + c);
    for (size_t r = 0; r < 4; ++r) {
      auto sum = hn::Mul(hn::Set(d, a.m[r][0]), b0);
      sum = hn::MulAdd(hn::Set(d, a.m[r][1]), b1, sum);
      sum = hn::MulAdd(hn::Set(d, a.m[r][2]), b2, sum);
      sum = hn::MulAdd(hn::Set(d, a.m[r][3]), b3, sum);
      hn::StoreU(sum, d, product.m[r] + c);
    }
  }
  *out = product;
}

// Converts rows to float. Poses are computed in double, as in OpenUSD; points are float, so float
// is enough for the joints that move them.
HWY_INLINE void Narrow(const Matrix4d& m, JointRows* out) {
  const RowPart d;
  const size_t lanes = hn::Lanes(d);
  for (size_t r = 0; r < 4; ++r) {
    for (size_t c = 0; c < 4; c += lanes) {
      const auto part = hn::LoadU(d, m.m[r] + c);
#if HWY_TARGET == HWY_SCALAR
      out->rows[r][c] = static_cast<float>(hn::GetLane(part));
#else
      const hn::Rebind<float, RowPart> narrow;
      hn::StoreU(hn::DemoteTo(narrow, part), narrow, out->rows[r] + c);
#endif
    }
  }
}

// The bind transform of a mesh goes into its joints, of which there are fewer than points.
void JointRowsKernel(const Matrix4d& before, const Matrix4d* joints, size_t count, JointRows* out) {
  if (before == Matrix4d::Identity()) {
    for (size_t i = 0; i < count; ++i) Narrow(joints[i], &out[i]);
    return;
  }
  for (size_t i = 0; i < count; ++i) {
    Matrix4d product;
    MultiplyInto(before, joints[i], &product);
    Narrow(product, &out[i]);
  }
}

// `step` is 1, or 0 if all are multiplied by the same matrix.
void MultiplyKernel(const Matrix4d* a, const Matrix4d* b, size_t step, size_t count,
                    Matrix4d* out) {
  for (size_t i = 0; i < count; ++i) MultiplyInto(a[i], b[i * step], &out[i]);
}

void ConcatKernel(const int* parents, const Matrix4d* local, const Matrix4d& root, size_t count,
                  Matrix4d* out) {
  // In order: each joint needs the result of its parent.
  for (size_t i = 0; i < count; ++i) {
    MultiplyInto(local[i], parents[i] < 0 ? root : out[parents[i]], &out[i]);
  }
}

}  // namespace stagedoor::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace stagedoor {

HWY_EXPORT(JointRowsKernel);
HWY_EXPORT(MultiplyKernel);
HWY_EXPORT(ConcatKernel);

void MakeJointRows(const Matrix4d& before, std::span<const Matrix4d> joints,
                   std::span<JointRows> out) {
  HWY_DYNAMIC_DISPATCH(JointRowsKernel)(before, joints.data(), joints.size(), out.data());
}

void MultiplyMatrices(std::span<const Matrix4d> a, std::span<const Matrix4d> b,
                      std::span<Matrix4d> out) {
  HWY_DYNAMIC_DISPATCH(MultiplyKernel)(a.data(), b.data(), 1, a.size(), out.data());
}

void MultiplyMatrices(std::span<const Matrix4d> a, const Matrix4d& b, std::span<Matrix4d> out) {
  HWY_DYNAMIC_DISPATCH(MultiplyKernel)(a.data(), &b, 0, a.size(), out.data());
}

void ConcatMatrices(std::span<const int> parents, std::span<const Matrix4d> local,
                    const Matrix4d& root, std::span<Matrix4d> out) {
  HWY_DYNAMIC_DISPATCH(ConcatKernel)(parents.data(), local.data(), root, local.size(), out.data());
}

}  // namespace stagedoor
#endif

// The kernels must not fuse multiplications and additions, which would round differently.
#include "scene/values/lerp_kernels.h"

#include <cstddef>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "scene/values/lerp_kernels.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace stagedoor::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

template <bool kRoundProducts>
void LerpFloatsKernel(const float* a, const float* b, double alpha, size_t n, float* out) {
  const hn::ScalableTag<double> dd;
  const hn::Rebind<float, decltype(dd)> df;
  const size_t lanes = hn::Lanes(dd);
  const auto weight_a = hn::Set(dd, 1 - alpha);
  const auto weight_b = hn::Set(dd, alpha);
  size_t i = 0;
  for (; i + lanes <= n; i += lanes) {
    const auto x = hn::Mul(hn::PromoteTo(dd, hn::LoadU(df, a + i)), weight_a);
    const auto y = hn::Mul(hn::PromoteTo(dd, hn::LoadU(df, b + i)), weight_b);
    if constexpr (kRoundProducts) {
      hn::StoreU(hn::Add(hn::DemoteTo(df, x), hn::DemoteTo(df, y)), df, out + i);
    } else {
      hn::StoreU(hn::DemoteTo(df, hn::Add(x, y)), df, out + i);
    }
  }
  for (; i < n; ++i) {
    const double x = (1 - alpha) * a[i];
    const double y = alpha * b[i];
    out[i] =
        kRoundProducts ? static_cast<float>(x) + static_cast<float>(y) : static_cast<float>(x + y);
  }
}

void LerpFloatsOnce(const float* a, const float* b, double alpha, size_t n, float* out) {
  LerpFloatsKernel<false>(a, b, alpha, n, out);
}
void LerpFloatsEach(const float* a, const float* b, double alpha, size_t n, float* out) {
  LerpFloatsKernel<true>(a, b, alpha, n, out);
}

void LerpDoublesKernel(const double* a, const double* b, double alpha, size_t n, double* out) {
  const hn::ScalableTag<double> d;
  const size_t lanes = hn::Lanes(d);
  const auto weight_a = hn::Set(d, 1 - alpha);
  const auto weight_b = hn::Set(d, alpha);
  size_t i = 0;
  for (; i + lanes <= n; i += lanes) {
    const auto x = hn::Mul(hn::LoadU(d, a + i), weight_a);
    const auto y = hn::Mul(hn::LoadU(d, b + i), weight_b);
    hn::StoreU(hn::Add(x, y), d, out + i);
  }
  for (; i < n; ++i) out[i] = (1 - alpha) * a[i] + alpha * b[i];
}

void LerpHalvesKernel(const Half* a, const Half* b, double alpha, size_t n, Half* out) {
  const float weight_a = static_cast<float>(1 - alpha);
  const float weight_b = static_cast<float>(alpha);
  size_t i = 0;
#if HWY_ARCH_ARM_A64 || (HWY_ARCH_X86 && HWY_TARGET <= HWY_AVX2)
  // These targets convert halves in hardware. Highway's emulation on others rounds differently.
  const hn::ScalableTag<float> df;
  const hn::Rebind<hwy::float16_t, decltype(df)> dh;
  const size_t lanes = hn::Lanes(df);
  const auto scaled = [&](const Half* from, float weight) {
    const auto halves = hn::LoadU(dh, reinterpret_cast<const hwy::float16_t*>(from));
    const auto product = hn::Mul(hn::PromoteTo(df, halves), hn::Set(df, weight));
    return hn::PromoteTo(df, hn::DemoteTo(dh, product));
  };
  for (; i + lanes <= n; i += lanes) {
    const auto sum = hn::Add(scaled(a + i, weight_a), scaled(b + i, weight_b));
    hn::StoreU(hn::DemoteTo(dh, sum), dh, reinterpret_cast<hwy::float16_t*>(out + i));
  }
#endif
  for (; i < n; ++i) {
    out[i] = Half(float(Half(float(a[i]) * weight_a)) + float(Half(float(b[i]) * weight_b)));
  }
}

}  // namespace stagedoor::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace stagedoor {

HWY_EXPORT(LerpFloatsOnce);
HWY_EXPORT(LerpFloatsEach);
HWY_EXPORT(LerpDoublesKernel);
HWY_EXPORT(LerpHalvesKernel);

void LerpFloats(std::span<const float> a, std::span<const float> b, double alpha,
                LerpRounding rounding, std::span<float> out) {
  if (rounding == LerpRounding::kOnce) {
    HWY_DYNAMIC_DISPATCH(LerpFloatsOnce)(a.data(), b.data(), alpha, out.size(), out.data());
  } else {
    HWY_DYNAMIC_DISPATCH(LerpFloatsEach)(a.data(), b.data(), alpha, out.size(), out.data());
  }
}

void LerpDoubles(std::span<const double> a, std::span<const double> b, double alpha,
                 std::span<double> out) {
  HWY_DYNAMIC_DISPATCH(LerpDoublesKernel)(a.data(), b.data(), alpha, out.size(), out.data());
}

static_assert(sizeof(Half) == sizeof(hwy::float16_t));

void LerpHalves(std::span<const Half> a, std::span<const Half> b, double alpha,
                std::span<Half> out) {
  HWY_DYNAMIC_DISPATCH(LerpHalvesKernel)(a.data(), b.data(), alpha, out.size(), out.data());
}

}  // namespace stagedoor
#endif

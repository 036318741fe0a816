#include "scene/skel/blend_kernels.h"

#include <cstdint>
#include <cstring>

// Highway includes this file again for each instruction set, and selects one of the results at run
// time; code between HWY_BEFORE_NAMESPACE and HWY_AFTER_NAMESPACE is compiled each time.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "scene/skel/blend_kernels.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
#include "hwy/highway.h"
#include "scene/values/vec.h"

HWY_BEFORE_NAMESPACE();
namespace stagedoor::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

#if HWY_TARGET != HWY_SCALAR
// Packed triples straddle vectors. While several shapes add to a point it is kept as four floats,
// so that each offset takes one aligned load, one multiply-add and one store.
using Wide = hn::FixedTag<float, 4>;

// Loads three floats as four. Reads into the next vector, so it must not be used for the last one,
// which may be at the end of mapped memory.
HWY_INLINE hn::Vec<Wide> LoadNotLast(const Vec3f& v) { return hn::LoadU(Wide(), v.v); }

HWY_INLINE hn::Vec<Wide> LoadLast(const Vec3f& v) {
  HWY_ALIGN const float lanes[4] = {v[0], v[1], v[2], 0};
  return hn::Load(Wide(), lanes);
}

void WidenKernel(const Vec3f* from, size_t count, WideVector* to) {
  if (count == 0) return;
  for (size_t i = 0; i + 1 < count; ++i) hn::Store(LoadNotLast(from[i]), Wide(), to[i].v);
  hn::Store(LoadLast(from[count - 1]), Wide(), to[count - 1].v);
}

void NarrowKernel(const WideVector* from, size_t count, Vec3f* to) {
  if (count == 0) return;
  // The fourth lane spills into the next vector, which is written after it.
  for (size_t i = 0; i + 1 < count; ++i) {
    hn::StoreU(hn::Load(Wide(), from[i].v), Wide(), to[i].v);
  }
  std::memcpy(to[count - 1].v, from[count - 1].v, sizeof(Vec3f));
}

// The fourth lanes accumulate garbage: they are part of the next offset. Nothing reads them.
HWY_INLINE void AddTo(hn::Vec<Wide> offset, hn::Vec<Wide> weight, WideVector* to) {
  hn::Store(hn::MulAdd(offset, weight, hn::Load(Wide(), to->v)), Wide(), to->v);
}

// Adds the offsets to *at(i), unrolled by four to reduce the cost of the loop itself.
template <class At>
HWY_INLINE void AddAll(const Vec3f* offsets, size_t count, float weight, const At& at) {
  const auto w = hn::Set(Wide(), weight);
  const size_t last = count - 1;
  size_t i = 0;
  for (; i + 4 <= last; i += 4) {
    AddTo(LoadNotLast(offsets[i]), w, at(i));
    AddTo(LoadNotLast(offsets[i + 1]), w, at(i + 1));
    AddTo(LoadNotLast(offsets[i + 2]), w, at(i + 2));
    AddTo(LoadNotLast(offsets[i + 3]), w, at(i + 3));
  }
  for (; i < last; ++i) AddTo(LoadNotLast(offsets[i]), w, at(i));
  AddTo(LoadLast(offsets[last]), w, at(last));
}

void AddKernel(const Vec3f* offsets, size_t count, float weight, WideVector* to) {
  if (count == 0) return;
  AddAll(offsets, count, weight, [&](size_t i) { return to + i; });
}

// Indices may repeat, and then each offset counts, so the additions stay in order.
void AddAtKernel(const Vec3f* offsets, const int* indices, size_t count, float weight, int first,
                 WideVector* to) {
  if (count == 0) return;
  AddAll(offsets, count, weight,
         [&](size_t i) { return to + static_cast<uint32_t>(indices[i] - first); });
}
#else
// Plain loops for targets without vectors of four floats.
void WidenKernel(const Vec3f* from, size_t count, WideVector* to) {
  for (size_t i = 0; i < count; ++i) std::memcpy(to[i].v, from[i].v, sizeof(Vec3f));
}

void NarrowKernel(const WideVector* from, size_t count, Vec3f* to) {
  for (size_t i = 0; i < count; ++i) std::memcpy(to[i].v, from[i].v, sizeof(Vec3f));
}

void AddAtKernel(const Vec3f* offsets, const int* indices, size_t count, float weight, int first,
                 WideVector* to) {
  for (size_t i = 0; i < count; ++i) {
    float* at = to[indices[i] - first].v;
    for (int c = 0; c < 3; ++c) at[c] += offsets[i][c] * weight;
  }
}

void AddKernel(const Vec3f* offsets, size_t count, float weight, WideVector* to) {
  for (size_t i = 0; i < count; ++i) {
    for (int c = 0; c < 3; ++c) to[i].v[c] += offsets[i][c] * weight;
  }
}
#endif

}  // namespace stagedoor::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace stagedoor {

HWY_EXPORT(WidenKernel);
HWY_EXPORT(NarrowKernel);
HWY_EXPORT(AddKernel);
HWY_EXPORT(AddAtKernel);

void WidenVectors(const Vec3f* from, size_t count, WideVector* to) {
  HWY_DYNAMIC_DISPATCH(WidenKernel)(from, count, to);
}

void NarrowVectors(const WideVector* from, size_t count, Vec3f* to) {
  HWY_DYNAMIC_DISPATCH(NarrowKernel)(from, count, to);
}

void AddWeighted(const Vec3f* offsets, size_t count, float weight, WideVector* to) {
  HWY_DYNAMIC_DISPATCH(AddKernel)(offsets, count, weight, to);
}

void AddWeightedAt(const Vec3f* offsets, const int* indices, size_t count, float weight, int first,
                   WideVector* to) {
  HWY_DYNAMIC_DISPATCH(AddAtKernel)(offsets, indices, count, weight, first, to);
}

}  // namespace stagedoor
#endif

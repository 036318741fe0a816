#ifndef STAGEDOOR_SCENE_VALUES_VEC_H_
#define STAGEDOOR_SCENE_VALUES_VEC_H_

#include <cstddef>
#include <cstdint>

#include "scene/values/half.h"

namespace stagedoor {

// Vectors of two to four components as plain data. Correspond to OpenUSD's GfVec3f and so on; see
// the Core Specification, section 6.3 (Dimensioned Types).
template <typename T, int N>
struct Vec {
  using Scalar = T;
  static constexpr int kSize = N;

  T v[N] = {};

  constexpr T& operator[](size_t i) { return v[i]; }
  constexpr const T& operator[](size_t i) const { return v[i]; }
  friend constexpr bool operator==(const Vec& a, const Vec& b) {
    for (int i = 0; i < N; ++i) {
      if (!(a.v[i] == b.v[i])) return false;
    }
    return true;
  }
};

using Vec2i = Vec<int32_t, 2>;
using Vec3i = Vec<int32_t, 3>;
using Vec4i = Vec<int32_t, 4>;
using Vec2h = Vec<Half, 2>;
using Vec3h = Vec<Half, 3>;
using Vec4h = Vec<Half, 4>;
using Vec2f = Vec<float, 2>;
using Vec3f = Vec<float, 3>;
using Vec4f = Vec<float, 4>;
using Vec2d = Vec<double, 2>;
using Vec3d = Vec<double, 3>;
using Vec4d = Vec<double, 4>;

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_VALUES_VEC_H_

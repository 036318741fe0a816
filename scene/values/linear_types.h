// Vectors, quaternions and matrices as plain data. Correspond to OpenUSD's GfVec3f, GfQuatf,
// GfMatrix4d and so on; see the Core Specification, section 6.3 (Dimensioned Types). The layout is
// that of files: matrices are row-major and act on row vectors (v' = v * M), quaternions have the
// imaginary part first (i, j, k, real).
#ifndef STAGEDOOR_SCENE_VALUES_LINEAR_TYPES_H_
#define STAGEDOOR_SCENE_VALUES_LINEAR_TYPES_H_

#include <cstddef>
#include <cstdint>

#include "scene/values/half.h"

namespace stagedoor {

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

template <typename T>
struct Quat {
  using Scalar = T;

  Vec<T, 3> imaginary;
  T real = T(0.0f);

  friend constexpr bool operator==(const Quat& a, const Quat& b) {
    return a.imaginary == b.imaginary && a.real == b.real;
  }
};

using Quath = Quat<Half>;
using Quatf = Quat<float>;
using Quatd = Quat<double>;

// The default-constructed matrix is zero, not the identity.
template <int N>
struct Matrix {
  static constexpr int kSize = N;

  double m[N][N] = {};

  static constexpr Matrix Identity() {
    Matrix result;
    for (int i = 0; i < N; ++i) result.m[i][i] = 1;
    return result;
  }
  constexpr double* operator[](size_t row) { return m[row]; }
  constexpr const double* operator[](size_t row) const { return m[row]; }
  friend constexpr bool operator==(const Matrix& a, const Matrix& b) {
    for (int i = 0; i < N; ++i) {
      for (int j = 0; j < N; ++j) {
        if (!(a.m[i][j] == b.m[i][j])) return false;
      }
    }
    return true;
  }
};

using Matrix2d = Matrix<2>;
using Matrix3d = Matrix<3>;
using Matrix4d = Matrix<4>;

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_VALUES_LINEAR_TYPES_H_

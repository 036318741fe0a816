#ifndef STAGEDOOR_SCENE_VALUES_MATRIX_H_
#define STAGEDOOR_SCENE_VALUES_MATRIX_H_

#include <cstddef>

namespace stagedoor {

// Square matrices of doubles as plain data. Row-major, as in files, and acting on row vectors
// (v' = v * M). Correspond to OpenUSD's GfMatrix4d and so on; see the Core Specification,
// section 6.3 (Dimensioned Types).

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

#endif  // STAGEDOOR_SCENE_VALUES_MATRIX_H_

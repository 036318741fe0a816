#ifndef STAGEDOOR_SCENE_VALUES_MATRIX_MATH_H_
#define STAGEDOOR_SCENE_VALUES_MATRIX_MATH_H_

#include "scene/values/matrix.h"
#include "scene/values/quat.h"
#include "scene/values/vec.h"

namespace stagedoor {

// Functions on matrices that act on row vectors: v' = v * M, so a * b applies a first (Core
// Specification, section 6.3). Names and results follow OpenUSD's GfMatrix3d and GfMatrix4d. Pure
// functions.

template <int N>
constexpr Matrix<N> operator*(const Matrix<N>& a, const Matrix<N>& b) {
  Matrix<N> r;
  for (int i = 0; i < N; ++i) {
    for (int j = 0; j < N; ++j) {
      double sum = 0;
      for (int k = 0; k < N; ++k) sum += a.m[i][k] * b.m[k][j];
      r.m[i][j] = sum;
    }
  }
  return r;
}
template <int N>
constexpr Matrix<N> operator*(const Matrix<N>& a, double s) {
  Matrix<N> r;
  for (int i = 0; i < N; ++i) {
    for (int j = 0; j < N; ++j) r.m[i][j] = a.m[i][j] * s;
  }
  return r;
}
template <int N>
constexpr Matrix<N> operator+(const Matrix<N>& a, const Matrix<N>& b) {
  Matrix<N> r;
  for (int i = 0; i < N; ++i) {
    for (int j = 0; j < N; ++j) r.m[i][j] = a.m[i][j] + b.m[i][j];
  }
  return r;
}
template <int N>
constexpr Matrix<N> Transpose(const Matrix<N>& a) {
  Matrix<N> r;
  for (int i = 0; i < N; ++i) {
    for (int j = 0; j < N; ++j) r.m[i][j] = a.m[j][i];
  }
  return r;
}

double Determinant(const Matrix2d& m);
double Determinant(const Matrix3d& m);
double Determinant(const Matrix4d& m);
// The determinant of the upper left 3x3 part.
double Determinant3(const Matrix4d& m);
// The inverse. As in OpenUSD, a scale by FLT_MAX if the absolute value of the determinant is not
// larger than `eps`. `*determinant`, if not null, receives the determinant of m.
Matrix3d Inverse(const Matrix3d& m, double* determinant = nullptr, double eps = 0);
Matrix4d Inverse(const Matrix4d& m, double* determinant = nullptr, double eps = 0);

Matrix4d TranslationMatrix(const Vec3d& t);
Matrix4d ScaleMatrix(const Vec3d& s);
// The rotation by `q`, which must be of unit length.
Matrix4d RotationMatrix(const Quatd& q);
Matrix3d RotationMatrix3(const Quatd& q);
// The right-handed rotation by `degrees` about `axis`, which need not be of unit length.
Quatd AxisAngle(const Vec3d& axis, double degrees);
Matrix4d AxisRotationMatrix(const Vec3d& axis, double degrees);

constexpr Vec3d ExtractTranslation(const Matrix4d& m) { return {m.m[3][0], m.m[3][1], m.m[3][2]}; }
void SetTranslateOnly(const Vec3d& t, Matrix4d* m);
// The upper left 3x3 part, and the matrix composed of such a part and a translation.
Matrix3d ExtractRotationMatrix(const Matrix4d& m);
Matrix4d TransformMatrix(const Matrix3d& rotation, const Vec3d& translation = {});
// The rotation as a quaternion; `m` must be orthonormal.
Quatd ExtractRotation(const Matrix4d& m);
Quatd ExtractRotation(const Matrix3d& m);

// Transforms a point and divides by the homogeneous coordinate.
Vec3d Transform(const Vec3d& point, const Matrix4d& m);
// Transforms a point as if the last column of m were (0, 0, 0, 1).
Vec3d TransformAffine(const Vec3d& point, const Matrix4d& m);
// Transforms a direction, without the translation.
Vec3d TransformDir(const Vec3d& direction, const Matrix4d& m);
Vec3d operator*(const Vec3d& v, const Matrix3d& m);

// Replaces *m by the nearest orthonormal matrix, found by iteration; the translation is kept.
// Returns false if the iteration does not converge because rows are parallel; *m is then its last
// step.
bool Orthonormalize(Matrix4d* m);
bool Orthonormalize(Matrix3d* m);

// The factors in m = r * diag(scale) * transpose(r) * rotation * translation * projection.
struct MatrixFactors {
  Matrix4d scale_orientation;  // r
  Vec3d scale;
  Matrix4d rotation;
  Vec3d translation;
  Matrix4d projection;
};
// Corresponds to GfMatrix4d::Factor. Returns false if m is singular.
bool Factor(const Matrix4d& m, MatrixFactors* factors, double eps = 1e-10);

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_VALUES_MATRIX_MATH_H_

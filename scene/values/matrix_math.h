// Matrices that act on row vectors: v' = v * M, so a * b applies a first. Names and results follow
// OpenUSD's GfMatrix3d and GfMatrix4d. Pure functions.
#ifndef STAGEDOOR_SCENE_VALUES_MATRIX_MATH_H_
#define STAGEDOOR_SCENE_VALUES_MATRIX_MATH_H_

#include "scene/values/linear.h"
#include "scene/values/vector_math.h"

namespace stagedoor {

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
// Of the upper left 3x3 part.
double Determinant3(const Matrix4d& m);
// Where the determinant is not larger than `eps`: a scale by FLT_MAX, as OpenUSD gives.
// `*determinant`, when asked for, is that of m.
Matrix3d Inverse(const Matrix3d& m, double* determinant = nullptr, double eps = 0);
Matrix4d Inverse(const Matrix4d& m, double* determinant = nullptr, double eps = 0);

Matrix4d TranslationMatrix(const Vec3d& t);
Matrix4d ScaleMatrix(const Vec3d& s);
// `q` should be of unit length.
Matrix4d RotationMatrix(const Quatd& q);
Matrix3d RotationMatrix3(const Quatd& q);
// Turns by `degrees` about `axis`, which need not be of unit length.
Quatd AxisAngle(const Vec3d& axis, double degrees);
Matrix4d AxisRotationMatrix(const Vec3d& axis, double degrees);

constexpr Vec3d Translation(const Matrix4d& m) { return {m.m[3][0], m.m[3][1], m.m[3][2]}; }
void SetTranslation(const Vec3d& t, Matrix4d* m);
// The upper left part.
Matrix3d Matrix3Of(const Matrix4d& m);
Matrix4d Matrix4Of(const Matrix3d& rotation, const Vec3d& translation = {});
// The rotation as a quaternion; `m` should be orthonormal.
Quatd ExtractRotation(const Matrix4d& m);
Quatd ExtractRotation(const Matrix3d& m);

// With division by the homogeneous coordinate.
Vec3d Transform(const Vec3d& point, const Matrix4d& m);
// The last column of m is taken as (0, 0, 0, 1).
Vec3d TransformAffine(const Vec3d& point, const Matrix4d& m);
// Without the translation.
Vec3d TransformDir(const Vec3d& direction, const Matrix4d& m);
Vec3d operator*(const Vec3d& v, const Matrix3d& m);

// The nearest orthonormal matrix, found by iteration (translation kept). False where it does not
// converge because rows are parallel; *m then holds the last step.
bool Orthonormalize(Matrix4d* m);
bool Orthonormalize(Matrix3d* m);

// m = r * diag(scale) * transpose(r) * rotation * translation * projection. False for singular m.
struct MatrixFactors {
  Matrix4d scale_orientation;  // r
  Vec3d scale;
  Matrix4d rotation;
  Vec3d translation;
  Matrix4d projection;
};
bool Factor(const Matrix4d& m, MatrixFactors* factors, double eps = 1e-10);
// Rotation and translation of m; m itself where it is singular.
Matrix4d RemoveScaleShear(const Matrix4d& m);

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_VALUES_MATRIX_MATH_H_

#include "scene/values/matrix_math.h"

#include <algorithm>
#include <cfloat>
#include <cmath>
#include <numbers>
#include <utility>

#include "scene/values/matrix.h"
#include "scene/values/quat.h"
#include "scene/values/quat_math.h"
#include "scene/values/vec.h"
#include "scene/values/vec_math.h"

namespace stagedoor {
namespace {

double Minor2(const Matrix4d& m, int r0, int r1, int c0, int c1) {
  return m.m[r0][c0] * m.m[r1][c1] - m.m[r0][c1] * m.m[r1][c0];
}

void CopyRow(const Vec3d& row, double* out) { std::copy(row.v, row.v + 3, out); }

// Makes three unit rows orthogonal by repeatedly moving each halfway to its component that is
// orthogonal to the others, as GfOrthogonalizeBasis does. False if it does not converge.
bool OrthogonalizeRows(Vec3d* rows) {
  constexpr double kEps = 1e-6;
  constexpr int kMaxSteps = 20;
  for (int i = 0; i < 3; ++i) rows[i] = Normalized(rows[i]);
  const auto close = [](const Vec3d& a, const Vec3d& b) {
    return std::abs(a[0] - b[0]) < kEps && std::abs(a[1] - b[1]) < kEps &&
           std::abs(a[2] - b[2]) < kEps;
  };
  if (close(rows[0], rows[1]) || close(rows[0], rows[2]) || close(rows[1], rows[2])) return false;
  for (int step = 0; step < kMaxSteps; ++step) {
    Vec3d next[3];
    double error = 0;
    for (int i = 0; i < 3; ++i) {
      Vec3d part = rows[i];
      for (int j = 0; j < 3; ++j) {
        if (j != i) part = part - rows[j] * Dot(rows[j], part);
      }
      next[i] = Normalized((rows[i] + part) * 0.5);
      const Vec3d change = rows[i] - next[i];
      error += Dot(change, change);
    }
    if (error < kEps * kEps) return true;
    std::copy(next, next + 3, rows);
  }
  return false;
}

// A Jacobi rotation that zeroes a[p][q] of the symmetric matrix a; the columns of v rotate along.
void JacobiRotate(int p, int q, Matrix3d* a, Matrix3d* v) {
  const double theta = (a->m[q][q] - a->m[p][p]) / (2 * a->m[p][q]);
  const double size = 1 / (std::abs(theta) + std::sqrt(1 + theta * theta));
  const double t = theta < 0 ? -size : size;  // 1 for a theta of -0, as in OpenUSD
  const double c = 1 / std::sqrt(1 + t * t);
  const double s = t * c;
  Matrix3d turn = Matrix3d::Identity();
  turn.m[p][p] = turn.m[q][q] = c;
  turn.m[p][q] = s;
  turn.m[q][p] = -s;
  *a = Transpose(turn) * *a * turn;
  a->m[p][q] = a->m[q][p] = 0;
  *v = *v * turn;
}

// Whether an element beside the diagonal is lost in rounding errors next to both of its diagonal
// elements.
bool IsNegligible(const Matrix3d& a, int p, int q) {
  const auto absorbs = [&](double diagonal) {
    return std::abs(diagonal) + 100 * std::abs(a.m[p][q]) == std::abs(diagonal);
  };
  return absorbs(a.m[p][p]) && absorbs(a.m[q][q]);
}

// The eigenvalues of a symmetric matrix. The columns of *vectors receive the eigenvectors. Which
// eigenvalue comes first depends on the rotations, so these follow the threshold strategy of
// OpenUSD (Rutishauser's): the first sweeps leave small elements for later ones.
Vec3d Eigen(Matrix3d a, Matrix3d* vectors) {
  constexpr int kMaxSweeps = 50;
  constexpr int kThresholdSweeps = 3;
  constexpr int kPairs[3][2] = {{0, 1}, {0, 2}, {1, 2}};
  *vectors = Matrix3d::Identity();
  for (int i = 0; i < kMaxSweeps; ++i) {
    const double sum = std::abs(a.m[0][1]) + std::abs(a.m[0][2]) + std::abs(a.m[1][2]);
    if (sum == 0) break;
    const double threshold = i < kThresholdSweeps ? 0.2 * sum / 9 : 0;
    for (const auto& [p, q] : kPairs) {
      if (i > kThresholdSweeps && IsNegligible(a, p, q)) {
        a.m[p][q] = a.m[q][p] = 0;
      } else if (std::abs(a.m[p][q]) > threshold) {
        JacobiRotate(p, q, &a, vectors);
      }
    }
  }
  return {a.m[0][0], a.m[1][1], a.m[2][2]};
}

template <typename M>
Quatd RotationOf(const M& m) {
  // Divides by the largest component of the quaternion, for numerical stability.
  const double trace = m.m[0][0] + m.m[1][1] + m.m[2][2];
  int i = 0;
  if (m.m[1][1] >= m.m[i][i]) i = 1;
  if (m.m[2][2] >= m.m[i][i]) i = 2;
  Vec3d im;
  double r;
  if (trace > m.m[i][i]) {
    r = 0.5 * std::sqrt(trace + 1);
    im = {(m.m[1][2] - m.m[2][1]) / (4 * r), (m.m[2][0] - m.m[0][2]) / (4 * r),
          (m.m[0][1] - m.m[1][0]) / (4 * r)};
  } else {
    const int j = (i + 1) % 3;
    const int k = (i + 2) % 3;
    const double q = 0.5 * std::sqrt(m.m[i][i] - m.m[j][j] - m.m[k][k] + 1);
    im[i] = q;
    im[j] = (m.m[i][j] + m.m[j][i]) / (4 * q);
    im[k] = (m.m[k][i] + m.m[i][k]) / (4 * q);
    r = (m.m[j][k] - m.m[k][j]) / (4 * q);
  }
  return {im, std::clamp(r, -1.0, 1.0)};
}

}  // namespace

double Determinant(const Matrix2d& m) { return m.m[0][0] * m.m[1][1] - m.m[0][1] * m.m[1][0]; }

double Determinant(const Matrix3d& m) {
  return m.m[0][0] * (m.m[1][1] * m.m[2][2] - m.m[1][2] * m.m[2][1]) -
         m.m[0][1] * (m.m[1][0] * m.m[2][2] - m.m[1][2] * m.m[2][0]) +
         m.m[0][2] * (m.m[1][0] * m.m[2][1] - m.m[1][1] * m.m[2][0]);
}

double Determinant3(const Matrix4d& m) { return Determinant(ExtractRotationMatrix(m)); }

double Determinant(const Matrix4d& m) {
  double determinant;
  Inverse(m, &determinant);
  return determinant;
}

Matrix3d Inverse(const Matrix3d& m, double* determinant, double eps) {
  Matrix3d r;
  for (int i = 0; i < 3; ++i) {
    const int i1 = (i + 1) % 3;
    const int i2 = (i + 2) % 3;
    for (int j = 0; j < 3; ++j) {
      const int j1 = (j + 1) % 3;
      const int j2 = (j + 2) % 3;
      r.m[j][i] = m.m[i1][j1] * m.m[i2][j2] - m.m[i1][j2] * m.m[i2][j1];
    }
  }
  const double det = m.m[0][0] * r.m[0][0] + m.m[0][1] * r.m[1][0] + m.m[0][2] * r.m[2][0];
  if (determinant) *determinant = det;
  return std::abs(det) > eps ? r * (1 / det) : Matrix3d::Identity() * FLT_MAX;
}

Matrix4d Inverse(const Matrix4d& m, double* determinant, double eps) {
  // Laplace expansion by pairs of rows: top[k] and bottom[k] are complementary 2x2 minors.
  static constexpr int kColumns[6][2] = {{0, 1}, {0, 2}, {0, 3}, {1, 2}, {1, 3}, {2, 3}};
  double t[6];
  double b[6];
  for (int k = 0; k < 6; ++k) {
    t[k] = Minor2(m, 0, 1, kColumns[k][0], kColumns[k][1]);
    b[k] = Minor2(m, 2, 3, kColumns[k][0], kColumns[k][1]);
  }
  const double det =
      t[0] * b[5] - t[1] * b[4] + t[2] * b[3] + t[3] * b[2] - t[4] * b[1] + t[5] * b[0];
  if (determinant) *determinant = det;
  if (!(std::abs(det) > eps)) return ScaleMatrix({FLT_MAX, FLT_MAX, FLT_MAX});
  const auto& a = m.m;
  const double s = 1 / det;
  return Matrix4d{{{(a[1][1] * b[5] - a[1][2] * b[4] + a[1][3] * b[3]) * s,
                    (-a[0][1] * b[5] + a[0][2] * b[4] - a[0][3] * b[3]) * s,
                    (a[3][1] * t[5] - a[3][2] * t[4] + a[3][3] * t[3]) * s,
                    (-a[2][1] * t[5] + a[2][2] * t[4] - a[2][3] * t[3]) * s},
                   {(-a[1][0] * b[5] + a[1][2] * b[2] - a[1][3] * b[1]) * s,
                    (a[0][0] * b[5] - a[0][2] * b[2] + a[0][3] * b[1]) * s,
                    (-a[3][0] * t[5] + a[3][2] * t[2] - a[3][3] * t[1]) * s,
                    (a[2][0] * t[5] - a[2][2] * t[2] + a[2][3] * t[1]) * s},
                   {(a[1][0] * b[4] - a[1][1] * b[2] + a[1][3] * b[0]) * s,
                    (-a[0][0] * b[4] + a[0][1] * b[2] - a[0][3] * b[0]) * s,
                    (a[3][0] * t[4] - a[3][1] * t[2] + a[3][3] * t[0]) * s,
                    (-a[2][0] * t[4] + a[2][1] * t[2] - a[2][3] * t[0]) * s},
                   {(-a[1][0] * b[3] + a[1][1] * b[1] - a[1][2] * b[0]) * s,
                    (a[0][0] * b[3] - a[0][1] * b[1] + a[0][2] * b[0]) * s,
                    (-a[3][0] * t[3] + a[3][1] * t[1] - a[3][2] * t[0]) * s,
                    (a[2][0] * t[3] - a[2][1] * t[1] + a[2][2] * t[0]) * s}}};
}

Matrix4d TranslationMatrix(const Vec3d& t) {
  Matrix4d r = Matrix4d::Identity();
  CopyRow(t, r.m[3]);
  return r;
}

Matrix4d ScaleMatrix(const Vec3d& s) {
  return {{{s[0], 0, 0, 0}, {0, s[1], 0, 0}, {0, 0, s[2], 0}, {0, 0, 0, 1}}};
}

Matrix3d RotationMatrix3(const Quatd& q) {
  const auto [x, y, z] = q.imaginary.v;
  const double w = q.real;
  return {{{1 - 2 * (y * y + z * z), 2 * (x * y + z * w), 2 * (z * x - y * w)},
           {2 * (x * y - z * w), 1 - 2 * (z * z + x * x), 2 * (y * z + x * w)},
           {2 * (z * x + y * w), 2 * (y * z - x * w), 1 - 2 * (y * y + x * x)}}};
}

Matrix4d RotationMatrix(const Quatd& q) { return TransformMatrix(RotationMatrix3(q)); }

Quatd AxisAngle(const Vec3d& axis, double degrees) {
  const double half = degrees * (std::numbers::pi / 180) / 2;
  return Normalized(Quatd{Normalized(axis) * std::sin(half), std::cos(half)});
}

Matrix4d AxisRotationMatrix(const Vec3d& axis, double degrees) {
  return RotationMatrix(AxisAngle(axis, degrees));
}

void SetTranslateOnly(const Vec3d& t, Matrix4d* m) { CopyRow(t, m->m[3]); }

Matrix3d ExtractRotationMatrix(const Matrix4d& m) {
  Matrix3d r;
  for (int i = 0; i < 3; ++i) std::copy(m.m[i], m.m[i] + 3, r.m[i]);
  return r;
}

Matrix4d TransformMatrix(const Matrix3d& rotation, const Vec3d& translation) {
  Matrix4d r = TranslationMatrix(translation);
  for (int i = 0; i < 3; ++i) std::copy(rotation.m[i], rotation.m[i] + 3, r.m[i]);
  return r;
}

Quatd ExtractRotation(const Matrix4d& m) { return RotationOf(m); }
Quatd ExtractRotation(const Matrix3d& m) { return RotationOf(m); }

Vec3d Transform(const Vec3d& p, const Matrix4d& m) {
  Vec4d r;
  for (int j = 0; j < 4; ++j) {
    r[j] = p[0] * m.m[0][j] + p[1] * m.m[1][j] + p[2] * m.m[2][j] + m.m[3][j];
  }
  const double divisor = r[3] != 0 ? 1 / r[3] : 1;
  return {r[0] * divisor, r[1] * divisor, r[2] * divisor};
}

Vec3d TransformAffine(const Vec3d& p, const Matrix4d& m) {
  Vec3d r;
  for (int j = 0; j < 3; ++j) {
    r[j] = p[0] * m.m[0][j] + p[1] * m.m[1][j] + p[2] * m.m[2][j] + m.m[3][j];
  }
  return r;
}

Vec3d TransformDir(const Vec3d& d, const Matrix4d& m) {
  Vec3d r;
  for (int j = 0; j < 3; ++j) r[j] = d[0] * m.m[0][j] + d[1] * m.m[1][j] + d[2] * m.m[2][j];
  return r;
}

Vec3d operator*(const Vec3d& v, const Matrix3d& m) {
  Vec3d r;
  for (int j = 0; j < 3; ++j) r[j] = v[0] * m.m[0][j] + v[1] * m.m[1][j] + v[2] * m.m[2][j];
  return r;
}

bool Orthonormalize(Matrix3d* m) {
  Vec3d rows[3];
  for (int i = 0; i < 3; ++i) rows[i] = {m->m[i][0], m->m[i][1], m->m[i][2]};
  const bool converged = OrthogonalizeRows(rows);
  for (int i = 0; i < 3; ++i) CopyRow(rows[i], m->m[i]);
  return converged;
}

bool Orthonormalize(Matrix4d* m) {
  Matrix3d rotation = ExtractRotationMatrix(*m);
  Vec3d translation = ExtractTranslation(*m);
  const double w = m->m[3][3];
  if (w != 1 && w != 0) translation = translation * (1 / w);
  const bool converged = Orthonormalize(&rotation);
  *m = TransformMatrix(rotation, translation);
  return converged;
}

bool Factor(const Matrix4d& m, MatrixFactors* factors, double eps) {
  const Matrix3d a = ExtractRotationMatrix(m);
  const double determinant = Determinant(a);
  const double sign = determinant < 0 ? -1 : 1;
  Matrix3d r;
  const Vec3d eigenvalues = Eigen(a * Transpose(a), &r);
  Matrix3d unscale;
  for (int i = 0; i < 3; ++i) {
    factors->scale[i] = sign * (eigenvalues[i] < eps ? eps : std::sqrt(eigenvalues[i]));
    unscale.m[i][i] = 1 / factors->scale[i];
  }
  factors->scale_orientation = TransformMatrix(r);
  factors->rotation = TransformMatrix(r * unscale * Transpose(r) * a);
  factors->translation = ExtractTranslation(m);
  factors->projection = Matrix4d::Identity();
  return determinant * sign >= eps;
}

}  // namespace stagedoor

// Expected numbers were recorded from OpenUSD's Gf.
#include "scene/values/matrix_math.h"

#include <cfloat>
#include <utility>

#include "gtest/gtest.h"
#include "scene/values/matrix.h"
#include "scene/values/quat.h"
#include "scene/values/quat_math.h"
#include "scene/values/vec.h"

namespace stagedoor {
namespace {

template <int N>
void ExpectNear(const Matrix<N>& a, const Matrix<N>& b, double tolerance = 1e-12) {
  for (int i = 0; i < N; ++i) {
    for (int j = 0; j < N; ++j) EXPECT_NEAR(a.m[i][j], b.m[i][j], tolerance) << i << "," << j;
  }
}

const Matrix4d kSheared = {{{2, 1, 0, 0}, {.5, 3, .2, 0}, {.1, -.4, 1.5, 0}, {5, 6, 7, 1}}};

TEST(MatrixMathTest, ProductAppliesTheLeftMatrixFirst) {
  const Matrix4d m = ScaleMatrix({2, 2, 2}) * TranslationMatrix({1, 0, 0});
  EXPECT_EQ(Transform({1, 1, 1}, m), (Vec3d{3, 2, 2}));
  EXPECT_EQ(TransformDir({1, 1, 1}, m), (Vec3d{2, 2, 2}));
}

TEST(MatrixMathTest, PointsAreDividedByTheHomogeneousCoordinate) {
  Matrix4d m = TranslationMatrix({1, 2, 3});
  m[3][3] = 2;
  EXPECT_EQ(Transform({1, 4, 5}, m), (Vec3d{1, 3, 4}));
  EXPECT_EQ(TransformAffine({1, 4, 5}, m), (Vec3d{2, 6, 8})) << "the last column is ignored";
  m[3][3] = 0;
  EXPECT_EQ(Transform({1, 4, 5}, m), (Vec3d{2, 6, 8})) << "does not divide by zero";
  m[0][3] = 1;
  EXPECT_EQ(Transform({2, 4, 6}, m), (Vec3d{1.5, 3, 4.5}));
}

TEST(MatrixMathTest, EveryElementIsUsed) {
  const Matrix4d m = {{{2, 3, 5, 0}, {7, 11, 13, 0}, {17, 19, 23, 0}, {29, 31, 37, 1}}};
  EXPECT_EQ(Transform({1, 10, 100}, m), (Vec3d{1801, 2044, 2472}));
  EXPECT_EQ(TransformAffine({1, 10, 100}, m), (Vec3d{1801, 2044, 2472}));
  EXPECT_EQ(TransformDir({1, 10, 100}, m), (Vec3d{1772, 2013, 2435}));
  EXPECT_EQ((Vec3d{1, 10, 100} * ExtractRotationMatrix(m)), (Vec3d{1772, 2013, 2435}));
  EXPECT_EQ(ExtractTranslation(m), (Vec3d{29, 31, 37}));
  EXPECT_EQ(TransformMatrix(ExtractRotationMatrix(m), ExtractTranslation(m)), m);
  EXPECT_EQ(Transpose(m)[0][3], 29);
  EXPECT_EQ((m + m)[2][1], 38);
  EXPECT_EQ((m * 3.0)[2][1], 57);
}

TEST(MatrixMathTest, DeterminantsOfAllSizes) {
  EXPECT_EQ(Determinant(Matrix2d{{{2, 3}, {5, 7}}}), -1);
  EXPECT_EQ(Determinant(Matrix3d{{{2, 3, 5}, {7, 11, 13}, {17, 19, 23}}}), -78);
  const Matrix4d m = {{{2, 3, 5, 1}, {7, 11, 13, 2}, {17, 19, 23, 3}, {29, 31, 37, 4}}};
  EXPECT_NEAR(Determinant(m), 44, 1e-9);
  EXPECT_EQ(Determinant3(m), -78);
}

TEST(MatrixMathTest, OrthonormalizingDividesTheTranslation) {
  for (const auto& [w, x] : {std::pair(1.0, 6.0), {2.0, 3.0}, {0.0, 6.0}}) {
    Matrix4d m = ScaleMatrix({2, 3, 4});
    SetTranslateOnly({6, 0, 0}, &m);
    m[3][3] = w;
    EXPECT_TRUE(Orthonormalize(&m));
    ExpectNear(m, TranslationMatrix({x, 0, 0}));
  }
}

TEST(MatrixMathTest, ParallelRowsAreNotOrthonormal) {
  for (const auto& [a, b] : {std::pair(0, 1), std::pair(0, 2), std::pair(1, 2)}) {
    Matrix3d m = Matrix3d::Identity();
    for (int k = 0; k < 3; ++k) m[b][k] = m[a][k];
    EXPECT_FALSE(Orthonormalize(&m)) << a << " " << b;
  }
  Matrix3d fine = Matrix3d::Identity();
  EXPECT_TRUE(Orthonormalize(&fine));
}

TEST(MatrixMathTest, InverseTimesMatrixIsIdentity) {
  const Matrix4d general = {{{2, 1, 3, .5}, {.5, 3, .2, .1}, {.1, -.4, 1.5, -2}, {5, 6, 7, 1}}};
  ExpectNear(Inverse(general) * general, Matrix4d::Identity());
  ExpectNear(Inverse(kSheared) * kSheared, Matrix4d::Identity());
  ExpectNear(Inverse(ExtractRotationMatrix(kSheared)) * ExtractRotationMatrix(kSheared),
             Matrix3d::Identity());
  EXPECT_NEAR(Determinant(kSheared), Determinant3(kSheared), 1e-12);
  EXPECT_NEAR(Determinant3(kSheared), 8.43, 1e-12);
}

TEST(MatrixMathTest, InverseOfSingularMatrixIsAHugeScale) {
  const Matrix4d flat = ScaleMatrix({1, 0, 1});
  EXPECT_EQ(Inverse(flat), ScaleMatrix({FLT_MAX, FLT_MAX, FLT_MAX}));
}

TEST(MatrixMathTest, RotationsAreRightHanded) {
  const Vec3d turned = Transform({1, 0, 0}, AxisRotationMatrix({0, 0, 5}, 90));
  EXPECT_NEAR(turned[0], 0, 1e-15);
  EXPECT_NEAR(turned[1], 1, 1e-15);
}

TEST(MatrixMathTest, RotationRoundTripsThroughQuaternion) {
  for (const double degrees : {0.0, 30.0, 120.0, 179.0, 240.0}) {
    for (const Vec3d axis : {Vec3d{1, 2, 3}, Vec3d{-1, .1, 0}, Vec3d{0, 0, 1}}) {
      const Matrix4d m = AxisRotationMatrix(axis, degrees);
      ExpectNear(RotationMatrix(ExtractRotation(m)), m);
      ExpectNear(RotationMatrix3(ExtractRotation(ExtractRotationMatrix(m))),
                 ExtractRotationMatrix(m));
    }
  }
}

TEST(MatrixMathTest, OrthonormalizeMatchesOpenUsd) {
  Matrix4d m = kSheared;
  ASSERT_TRUE(Orthonormalize(&m));
  ExpectNear(m, {{{0.9852657535559268, 0.15789984949991467, -0.0657193456888938, 0},
                  {-0.1443943429903928, 0.9738945976342283, 0.17515589174000862, 0},
                  {0.0916607555867458, -0.16308553999085232, 0.9823448541785917, 0},
                  {5, 6, 7, 1}}});
}

TEST(MatrixMathTest, FactorsMultiplyToTheMatrix) {
  MatrixFactors f;
  ASSERT_TRUE(Factor(kSheared, &f));
  ExpectNear(f.scale_orientation * ScaleMatrix(f.scale) * Transpose(f.scale_orientation) *
                 f.rotation * TranslationMatrix(f.translation),
             kSheared);
  EXPECT_NEAR(f.rotation.m[0][0], 0.9935402640249532, 1e-12);
  EXPECT_NEAR(f.rotation.m[2][1], -0.1386786764606617, 1e-12);
  EXPECT_FALSE(Factor(ScaleMatrix({1, 0, 1}), &f));
}

TEST(MatrixMathTest, FactoredRotationsAreOrthonormal) {
  for (int row = 0; row < 3; ++row) {
    for (int column = 0; column < 3; ++column) {
      if (row == column) continue;
      SCOPED_TRACE(testing::Message() << "shear at " << row << ", " << column);
      Matrix4d sheared = Matrix4d::Identity();
      sheared.m[row][column] = 1;
      MatrixFactors f;
      ASSERT_TRUE(Factor(sheared, &f));
      ExpectNear(f.rotation * Transpose(f.rotation), Matrix4d::Identity());
    }
  }
}

// Recorded from usd-core 26.11: the element beside the diagonal that is much smaller than others is
// left for the next sweep, without which the first and the last scale change places.
TEST(MatrixMathTest, FactoredScalesAreInTheOrderOfOpenUsd) {
  const Matrix4d sheared = {{{0.6866583908260149, -0.4715330327596632, -1.1449595167618878, 0},
                             {-0.3434324556250761, -0.8137300076031947, -2.319661997515795, 0},
                             {0.007073125579737166, 0.6231494655971783, -0.45771178345335783, 0},
                             {0, 0, 0, 1}}};
  MatrixFactors f;
  ASSERT_TRUE(Factor(sheared, &f));
  EXPECT_NEAR(f.scale[0], 0.7839187345208188, 1e-12);
  EXPECT_NEAR(f.scale[1], 2.7611337547903, 1e-12);
  EXPECT_NEAR(f.scale[2], 0.7246977089689963, 1e-12);
}

// Equal diagonal elements turn by 45 degrees, in the direction that is the same for both signs of
// the element beside them.
TEST(MatrixMathTest, EqualDiagonalsTurnTheSameWay) {
  MatrixFactors f;
  Matrix4d m = Matrix4d::Identity();
  m.m[0][1] = m.m[1][0] = 0.5;
  ASSERT_TRUE(Factor(m, &f));
  EXPECT_NEAR(f.scale[0], 0.5, 1e-12);
  m.m[0][1] = m.m[1][0] = -0.5;
  ASSERT_TRUE(Factor(m, &f));
  EXPECT_NEAR(f.scale[0], 1.5, 1e-12);
}

// Recorded from usd-core 26.11, which rounds every step to half precision.
TEST(VectorMathTest, SlerpOfHalvesIsRoundedAsInOpenUsd) {
  const auto quath = [](float real, float i, float j, float k) {
    return Quath{{Half(i), Half(j), Half(k)}, Half(real)};
  };
  const Quath a = quath(-0.4444f, -0.4756f, -0.3621f, -0.6672f);
  const Quath b = quath(0.1235f, -0.6814f, -0.3924f, 0.6054f);
  EXPECT_EQ(Slerp(0.1875, a, b), quath(-0.388672f, -0.651367f, -0.458984f, -0.462158f));
  EXPECT_EQ(Slerp(0.5, a, b), quath(-0.226074f, -0.81543f, -0.53125f, -0.043457f));
  EXPECT_EQ(Slerp(0.9, a, b), quath(0.0526123f, -0.74707f, -0.443604f, 0.493652f));
  // The product of the imaginary parts is rounded too.
  EXPECT_EQ(Slerp(0.75, quath(-0.1364f, -0.9735f, 0.1228f, -0.1361f),
                  quath(-0.0976f, 0.8701f, 0.3783f, 0.3005f)),
            quath(0.039032f, -0.926758f, -0.258789f, -0.267334f));
}

TEST(VectorMathTest, SlerpTakesTheShorterArc) {
  const Quatf a = MakeQuat(1.f, 0.f, 0.f, 0.f);
  const Quatf b = MakeQuat(.6f, .8f, 0.f, 0.f);
  const Quatf mixed = Slerp(.25, a, b);
  EXPECT_EQ(mixed.real, 0.9732489585876465f);
  EXPECT_EQ(mixed.imaginary[0], 0.22975292801856995f);
  const Quatf other = Slerp(.25, a, MakeQuat(-.6f, -.8f, 0.f, 0.f));
  EXPECT_EQ(other, mixed);
}

}  // namespace
}  // namespace stagedoor

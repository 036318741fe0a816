#include "server/converters/matrix_block.h"

#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "gtest/gtest.h"
#include "server/testing/packed_values.h"

namespace stagedoor::server {
namespace {

// The matrices of three paths at two times.
std::vector<Matrix4d> SixMatrices() { return std::vector<Matrix4d>(6, Matrix4d::Identity()); }

std::vector<double> NumbersOf(const v1::MatrixBlock& block) {
  v1::PackedValues packed;
  packed.set_data(block.numbers());
  return Unpack<double>(packed);
}

v1::MatrixBlock BlockOf(const std::vector<Matrix4d>& matrices, size_t times) {
  v1::MatrixBlock block;
  FillMatrixBlock(matrices, times, &block);
  return block;
}

TEST(MatrixBlockTest, EqualNumbersComeOnce) {
  const v1::MatrixBlock block = BlockOf(SixMatrices(), 2);
  EXPECT_EQ(block.path_count(), 3u);
  EXPECT_EQ(block.extents(), 0u);
  EXPECT_EQ(NumbersOf(block),
            (std::vector<double>{1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1}));
}

TEST(MatrixBlockTest, SteadyNumbersComeForEachPathAndOthersForEachItem) {
  std::vector<Matrix4d> matrices = SixMatrices();
  for (size_t item = 0; item < matrices.size(); ++item) {
    const size_t path = item / 2;
    matrices[item][3][0] = static_cast<double>(path);
    matrices[item][3][2] = static_cast<double>(10 + item);
  }
  const v1::MatrixBlock block = BlockOf(matrices, 2);
  EXPECT_EQ(block.extents(), 1u << 24 | 2u << 28);
  EXPECT_EQ(NumbersOf(block), (std::vector<double>{1, 0, 0, 0, 0,  1,  0,  0,  0,  0,  1, 0,
                                                   0, 1, 2, 0, 10, 11, 12, 13, 14, 15, 1}));
}

TEST(MatrixBlockTest, NumbersThatDifferAtOneTimeOfOnePathComeForEachItem) {
  std::vector<Matrix4d> matrices = SixMatrices();
  matrices[5][0][0] = 2;
  const v1::MatrixBlock block = BlockOf(matrices, 2);
  EXPECT_EQ(block.extents(), 2u);
  EXPECT_EQ(NumbersOf(block).size(), 6u + 15u);
}

TEST(MatrixBlockTest, NumbersAreEqualIfTheirBitsAre) {
  std::vector<Matrix4d> matrices = SixMatrices();
  for (Matrix4d& matrix : matrices) matrix[1][1] = std::numeric_limits<double>::quiet_NaN();
  matrices[2][0][1] = -0.0;
  matrices[3][0][1] = -0.0;
  const v1::MatrixBlock block = BlockOf(matrices, 2);
  EXPECT_EQ(block.extents(), 1u << 2);
  const std::vector<double> numbers = NumbersOf(block);
  ASSERT_EQ(numbers.size(), 15u + 3u);
  EXPECT_TRUE(std::signbit(numbers[2]));
  EXPECT_FALSE(std::signbit(numbers[3]));
  EXPECT_TRUE(std::isnan(numbers[7]));
}

}  // namespace
}  // namespace stagedoor::server

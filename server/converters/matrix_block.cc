#include "server/converters/matrix_block.h"

#include <array>
#include <cstdint>
#include <cstring>

#include "base/uninitialized_string.h"

namespace stagedoor::server {
namespace {

constexpr size_t kNumbers = 16;  // of a matrix
static_assert(sizeof(Matrix4d) == kNumbers * sizeof(double));

using Bits = std::array<uint64_t, kNumbers>;

Bits BitsOf(const Matrix4d& matrix) {
  Bits bits;
  std::memcpy(bits.data(), &matrix, sizeof(bits));
  return bits;
}

void AddDifferences(const Bits& a, const Bits& b, Bits* different) {
  for (size_t n = 0; n < kNumbers; ++n) (*different)[n] |= a[n] ^ b[n];
}

// How often each number of the matrices comes; see MatrixBlock.extents.
enum Extent : uint32_t { kOnce, kForEachPath, kForEachItem };

std::array<Extent, kNumbers> ExtentsOf(std::span<const Matrix4d> matrices, size_t times) {
  Bits across_paths = {}, across_times = {};
  const Bits first = BitsOf(matrices[0]);
  for (size_t item = 0; item < matrices.size(); item += times) {
    const Bits own = BitsOf(matrices[item]);
    AddDifferences(first, own, &across_paths);
    for (size_t t = 1; t < times; ++t)
      AddDifferences(own, BitsOf(matrices[item + t]), &across_times);
  }
  std::array<Extent, kNumbers> extents;
  for (size_t n = 0; n < kNumbers; ++n) {
    extents[n] = across_times[n] != 0 ? kForEachItem : across_paths[n] != 0 ? kForEachPath : kOnce;
  }
  return extents;
}

}  // namespace

void FillMatrixBlock(std::span<const Matrix4d> matrices, size_t times, v1::MatrixBlock* out) {
  if (matrices.empty()) return;
  const size_t paths = matrices.size() / times;
  const std::array<Extent, kNumbers> extents = ExtentsOf(matrices, times);
  const size_t counts[] = {1, paths, matrices.size()};  // by extent
  const size_t steps[] = {matrices.size(), times, 1};
  uint32_t packed = 0;
  size_t total = 0;
  for (size_t n = 0; n < kNumbers; ++n) {
    packed |= extents[n] << (2 * n);
    total += counts[extents[n]];
  }
  out->set_path_count(static_cast<uint32_t>(paths));
  out->set_extents(packed);
  ResizeUninitialized(out->mutable_numbers(), total * sizeof(double));
  char* to = out->mutable_numbers()->data();
  for (size_t n = 0; n < kNumbers; ++n) {
    const char* from = reinterpret_cast<const char*>(matrices.data()) + n * sizeof(double);
    for (size_t i = 0; i < counts[extents[n]]; ++i, to += sizeof(double)) {
      std::memcpy(to, from + i * steps[extents[n]] * sizeof(Matrix4d), sizeof(double));
    }
  }
}

}  // namespace stagedoor::server

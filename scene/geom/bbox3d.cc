#include "scene/geom/bbox3d.h"

#include <algorithm>
#include <cmath>

#include "scene/values/matrix.h"
#include "scene/values/matrix_math.h"
#include "scene/values/vec.h"
#include "scene/values/vec_math.h"

namespace stagedoor {
namespace {

// As in GfBBox3d: a box whose matrix has a smaller determinant cannot serve as common space.
constexpr double kDegenerate = 1e-13;

struct Space {
  Matrix4d inverse;
  bool degenerate;
};

Space SpaceOf(const BBox3d& box) {
  double determinant;
  Space space{Inverse(box.matrix, &determinant, kDegenerate), false};
  if (std::abs(determinant) <= kDegenerate) space = {Matrix4d::Identity(), true};
  return space;
}

// The box `a` extended by `b`, in the space of `a`.
BBox3d CombineInto(const BBox3d& a, const Space& space, const BBox3d& b) {
  BBox3d result = a;
  result.range.Extend(BBox3d{b.range, b.matrix * space.inverse}.AlignedRange());
  return result;
}

}  // namespace

void Range3d::Extend(const Vec3d& point) {
  for (int i = 0; i < 3; ++i) {
    min[i] = std::min(min[i], point[i]);
    max[i] = std::max(max[i], point[i]);
  }
}

void Range3d::Extend(const Range3d& other) {
  for (int i = 0; i < 3; ++i) {
    min[i] = std::min(min[i], other.min[i]);
    max[i] = std::max(max[i], other.max[i]);
  }
}

Range3d RangeOf(std::span<const Vec3f> points) {
  // Four points at a time, so that the chains of comparisons are independent and vectorize.
  constexpr size_t kLanes = 12;
  constexpr float kHuge = static_cast<float>(Range3d::kHuge);
  float low[kLanes], high[kLanes];
  std::fill_n(low, kLanes, kHuge);
  std::fill_n(high, kLanes, -kHuge);
  const float* numbers = points.empty() ? nullptr : points.data()->v;
  const size_t count = 3 * points.size();
  const auto extend = [&](const float* from, size_t lanes) {
    for (size_t i = 0; i < lanes; ++i) {
      low[i] = from[i] < low[i] ? from[i] : low[i];
      high[i] = from[i] > high[i] ? from[i] : high[i];
    }
  };
  size_t at = 0;
  for (; at + kLanes <= count; at += kLanes) extend(numbers + at, kLanes);
  extend(numbers + at, count - at);
  Range3d range;
  for (size_t i = 0; i < kLanes; ++i) {
    range.min[i % 3] = std::min<double>(range.min[i % 3], low[i]);
    range.max[i % 3] = std::max<double>(range.max[i % 3], high[i]);
  }
  return range;
}

void BBox3d::Transform(const Matrix4d& m) { matrix = matrix * m; }

double BBox3d::Volume() const {
  if (empty()) return 0;
  const Vec3d size = range.max - range.min;
  return std::abs(Determinant3(matrix) * size[0] * size[1] * size[2]);
}

Range3d BBox3d::AlignedRange() const {
  if (empty()) return range;
  // Each term of the transform takes its extremes at the corners independently (Arvo's method), so
  // the eight corners need not be transformed.
  Range3d result{ExtractTranslation(matrix), ExtractTranslation(matrix)};
  for (int j = 0; j < 3; ++j) {
    for (int i = 0; i < 3; ++i) {
      const double a = range.min[i] * matrix.m[i][j];
      const double b = range.max[i] * matrix.m[i][j];
      result.min[j] += a < b ? a : b;
      result.max[j] += a < b ? b : a;
    }
  }
  return result;
}

BBox3d BBox3d::Combine(const BBox3d& a, const BBox3d& b) {
  if (a.empty()) return b;
  if (b.empty()) return a;
  const Space in_a = SpaceOf(a);
  const Space in_b = SpaceOf(b);
  if (in_a.degenerate && in_b.degenerate) {
    Range3d range = a.AlignedRange();
    range.Extend(b.AlignedRange());
    return {range, Matrix4d::Identity()};
  }
  if (in_a.degenerate) return CombineInto(b, in_b, a);
  if (in_b.degenerate) return CombineInto(a, in_a, b);
  const BBox3d first = CombineInto(a, in_a, b);
  const BBox3d second = CombineInto(b, in_b, a);
  const double v1 = first.Volume();
  const double v2 = second.Volume();
  // OpenUSD's tolerance: of two nearly equal volumes the first is chosen, so rounding errors do not
  // decide about the space of the result.
  const double tolerance = std::max(1e-10, 1e-6 * std::abs(std::max(v1, v2)));
  return v1 <= v2 + tolerance ? first : second;
}

}  // namespace stagedoor

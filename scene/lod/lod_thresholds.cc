#include "scene/lod/lod_thresholds.h"

#include <algorithm>
#include <cstddef>
#include <limits>

namespace stagedoor {
namespace {

// Whether a measure is before a threshold: closer, or larger on the screen.
bool IsBefore(double measure, float threshold, LodOrder order) {
  return order == LodOrder::kAscending ? measure < threshold : measure > threshold;
}

// The number of thresholds that a measure has reached: a binary search, whose result is specified
// even if they are not sorted.
size_t CountReached(double measure, std::span<const float> thresholds, LodOrder order) {
  size_t first = 0;
  size_t length = thresholds.size();
  while (length > 0) {
    const size_t half = length / 2;
    if (IsBefore(measure, thresholds[first + half], order)) {
      length = half;
    } else {
      first += half + 1;
      length -= half + 1;
    }
  }
  return first;
}

}  // namespace

float LodLevel(double measure, std::span<const float> thresholds, std::span<const float> blends,
               LodOrder order) {
  const size_t level = CountReached(measure, thresholds, order);
  const auto reached = static_cast<float>(level);
  if (level == 0 || level > blends.size()) return reached;
  if (CountReached(measure, blends, order) >= level) return reached;
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  const float begin = thresholds[level - 1];
  float end = blends[level - 1];
  if (order == LodOrder::kAscending) {
    const float next = level < thresholds.size() ? thresholds[level] : kInfinity;
    end = std::min(std::max(end, begin), next);
  } else {
    const float next = level < thresholds.size() ? thresholds[level] : -kInfinity;
    end = std::max(std::min(end, begin), next);
  }
  if (!IsBefore(measure, end, order)) return reached;
  const double share = (measure - double{begin}) / double{end - begin};
  return static_cast<float>(level - 1) + static_cast<float>(share);
}

double WithHysteresis(double measure, double previous, double hysteresis) {
  const double low = measure - hysteresis;
  const double high = measure + hysteresis;
  if (previous < low) return low;
  return previous > high ? high : previous;
}

}  // namespace stagedoor

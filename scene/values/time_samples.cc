#include "scene/values/time_samples.h"

#include <algorithm>

namespace stagedoor {

std::ptrdiff_t TimeSamples::LastAtOrBefore(double time) const {
  const std::span<const double> all = times();
  return std::upper_bound(all.begin(), all.end(), time) - all.begin() - 1;
}

bool operator==(const TimeSamples& a, const TimeSamples& b) {
  if (&a == &b) return true;
  if (!(a.times_array() == b.times_array())) return false;
  for (size_t i = 0; i < a.size(); ++i) {
    if (!(a.At(i) == b.At(i))) return false;
  }
  return true;
}

}  // namespace stagedoor

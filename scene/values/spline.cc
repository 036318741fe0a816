#include "scene/values/spline.h"

#include <cstddef>

namespace stagedoor {

void SetHermiteWidths(Spline* spline) {
  if (spline->curve_type != CurveType::kHermite) return;
  std::vector<SplineKnot>& knots = spline->knots;
  for (size_t i = 0; i < knots.size(); ++i) {
    const bool first = i == 0;
    const bool last = i + 1 == knots.size();
    knots[i].pre_tangent_width = first ? 0 : (knots[i].time - knots[i - 1].time) / 3;
    knots[i].post_tangent_width = last ? 0 : (knots[i + 1].time - knots[i].time) / 3;
  }
}

}  // namespace stagedoor

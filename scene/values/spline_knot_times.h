#ifndef STAGEDOOR_SCENE_VALUES_SPLINE_KNOT_TIMES_H_
#define STAGEDOOR_SCENE_VALUES_SPLINE_KNOT_TIMES_H_

#include <cstddef>
#include <optional>
#include <vector>

#include "scene/values/spline.h"

namespace stagedoor {

// The time of a knot, authored or repeated by a loop.
struct SplineKnotTime {
  double time = 0;
  // Whether the limit of the values from the left may differ from the value at the time.
  bool jump = false;
  // Whether a loop may have repeated the knot. Evaluation at its time may then find the other side
  // of a jump, because it maps the time back with rounding.
  bool repeated = false;
};

// The times of the knots in [begin, end], ascending, with those that inner loops and extrapolation
// loops add. Nothing if there are more than `most`, as in an infinite interval of an endless loop.
// An interval with begin > end has none.
std::optional<std::vector<SplineKnotTime>> KnotTimesIn(const Spline& spline, double begin,
                                                       double end, size_t most);

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_VALUES_SPLINE_KNOT_TIMES_H_

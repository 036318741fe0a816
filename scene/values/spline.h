// Spline: a function of time given by knots (Core Specification, "splines"); data only.
// spline_evaluation.h evaluates it.
#ifndef STAGEDOOR_SCENE_VALUES_SPLINE_H_
#define STAGEDOOR_SCENE_VALUES_SPLINE_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "scene/values/dictionary.h"
#include "scene/values/value_type.h"

namespace stagedoor {

enum class CurveType : uint8_t { kBezier, kHermite };
enum class KnotInterpolation : uint8_t { kValueBlock, kHeld, kLinear, kCurve };
enum class ExtrapolationMode : uint8_t {
  kValueBlock,
  kHeld,
  kLinear,
  kSloped,
  kLoopRepeat,
  kLoopReset,
  kLoopOscillate
};
enum class TangentAlgorithm : uint8_t { kNone, kCustom, kAutoEase };

struct SplineKnot {
  double time = 0;
  double value = 0;
  double pre_value = 0;  // used when dual_valued
  bool dual_valued = false;
  KnotInterpolation next = KnotInterpolation::kHeld;  // of the segment that begins here
  double pre_tangent_width = 0;
  double pre_tangent_slope = 0;
  double post_tangent_width = 0;
  double post_tangent_slope = 0;
  TangentAlgorithm pre_tangent_algorithm = TangentAlgorithm::kNone;
  TangentAlgorithm post_tangent_algorithm = TangentAlgorithm::kNone;
  Dictionary custom_data;
  friend bool operator==(const SplineKnot&, const SplineKnot&) = default;
};

struct Extrapolation {
  ExtrapolationMode mode = ExtrapolationMode::kHeld;
  double slope = 0;
  std::optional<double> loop_boundary;  // of looping modes, where the loop does not end at a knot
  friend bool operator==(const Extrapolation&, const Extrapolation&) = default;
};

// Inner looping: [proto_start, proto_end) is repeated before and after itself.
struct SplineLoop {
  double proto_start = 0;
  double proto_end = 0;
  int32_t pre_loops = 0;
  int32_t post_loops = 0;
  double value_offset = 0;
  friend bool operator==(const SplineLoop&, const SplineLoop&) = default;
};

class Spline {
 public:
  CurveType curve_type = CurveType::kBezier;
  // kDouble, kFloat, kHalf; of a timecode attribute kDouble with time_valued, of a duration
  // attribute kDuration with time_valued.
  ValueType value_type = ValueType::kDouble;
  bool time_valued = false;
  Extrapolation pre;
  Extrapolation post;
  std::optional<SplineLoop> loop;
  std::vector<SplineKnot> knots;  // by ascending time
  friend bool operator==(const Spline&, const Spline&) = default;
};

// Tangents of Hermite splines have no widths of their own: a third of the segment, none at the
// ends. Readers call this; Bezier splines stay as they are.
void SetHermiteWidths(Spline* spline);

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_VALUES_SPLINE_H_

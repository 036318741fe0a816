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
  double pre_value = 0;  // used if dual_valued
  bool dual_valued = false;
  KnotInterpolation next = KnotInterpolation::kHeld;  // for the segment that begins here
  double pre_tangent_width = 0;
  double pre_tangent_slope = 0;
  double post_tangent_width = 0;
  double post_tangent_slope = 0;
  TangentAlgorithm pre_tangent_algorithm = TangentAlgorithm::kNone;
  TangentAlgorithm post_tangent_algorithm = TangentAlgorithm::kNone;
  Dictionary custom_data;
  // The value that the spline has just before the knot.
  double ValueBefore() const { return dual_valued ? pre_value : value; }
  friend bool operator==(const SplineKnot&, const SplineKnot&) = default;
};

struct Extrapolation {
  ExtrapolationMode mode = ExtrapolationMode::kHeld;
  double slope = 0;
  // For looping modes: the time of the inner knot at which the repeated part ends (pre) or begins
  // (post); nothing if the whole spline is repeated.
  std::optional<double> loop_boundary;
  bool IsLoop() const { return mode >= ExtrapolationMode::kLoopRepeat; }
  friend bool operator==(const Extrapolation&, const Extrapolation&) = default;
};

// Inner loops (section 12.5.3.4.2): the prototype [proto_start, proto_end) is repeated pre_loops
// times before and post_loops times after itself, each time offset by value_offset.
struct SplineLoopParams {
  double proto_start = 0;
  double proto_end = 0;
  int32_t pre_loops = 0;
  int32_t post_loops = 0;
  double value_offset = 0;
  friend bool operator==(const SplineLoopParams&, const SplineLoopParams&) = default;
};

// A function of time given by knots; data only, evaluated by spline_evaluation.h. Corresponds to
// OpenUSD's TsSpline and TsKnot; see the Core Specification, section 7.4.2.4 (Cubic Splines
// Specialized Type).
class Spline {
 public:
  CurveType curve_type = CurveType::kBezier;
  // kDouble, kFloat or kHalf. For a timecode attribute kDouble with time_valued, for a duration
  // attribute kDuration with time_valued.
  ValueType value_type = ValueType::kDouble;
  bool time_valued = false;
  Extrapolation pre;
  Extrapolation post;
  std::optional<SplineLoopParams> loop;
  std::vector<SplineKnot> knots;  // in ascending order of time
  friend bool operator==(const Spline&, const Spline&) = default;
};

// Sets the tangent widths of a Hermite spline, which are not authored, to a third of the segment,
// and to zero at the ends. Called by readers. Bézier splines are not changed.
void SetHermiteWidths(Spline* spline);

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_VALUES_SPLINE_H_

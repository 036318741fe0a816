#ifndef STAGEDOOR_SCENE_VALUES_SPLINE_EVALUATION_H_
#define STAGEDOOR_SCENE_VALUES_SPLINE_EVALUATION_H_

#include <cstddef>
#include <optional>
#include <vector>

#include "scene/values/layer_offset.h"
#include "scene/values/spline.h"
#include "scene/values/value.h"

namespace stagedoor {

// Evaluation of splines, with the results of OpenUSD's TsSpline::Eval; see the Core Specification,
// sections 12.3.3 (Spline Evaluation) and 12.5.3 (Spline). Covers Bézier, Hermite, linear, held and
// blocked segments, dual-valued knots, inner loops and all kinds of extrapolation. Regressive
// tangents, which would make time run backwards, are shortened with their ratio kept (section
// 12.5.3.5). Pure functions; evaluation takes O(log knots), regardless of the number of loops.

// The side from which a time is approached, which matters at discontinuities: kAt gives the value
// at the time, kPre the limit from earlier times.
enum class SplineSide { kAt, kPre };

// The value at `time`. Nothing for a spline without knots, and in blocked segments and
// extrapolations. Knot times must be finite and in ascending order, which readers ensure.
std::optional<double> EvaluateSpline(const Spline& spline, double time,
                                     SplineSide side = SplineSide::kAt);

// As EvaluateSpline, with the result as a Value of the spline's type: double, float, half, timecode
// or duration.
std::optional<Value> EvaluateSplineValue(const Spline& spline, double time,
                                         SplineSide side = SplineSide::kAt);

// Whether the spline has inner loops that take effect: their prototype must begin at a knot and be
// repeated at least once.
bool HasInnerLoops(const Spline& spline);

// Computes the tangents that are not authored but follow from the neighboring knots: those with the
// autoEase algorithm, and the widths of all tangents of a Hermite spline. Readers call it once all
// knots are set.
void UpdateTangents(Spline* spline);

// Shortens the regressive tangents of a Bézier spline in its knots, as evaluation does on the fly.
// OpenUSD does so when it reads a crate.
void AdjustRegressiveTangents(Spline* spline);

// The knots including those that inner loops add. Nothing if there would be more than `limit`.
std::optional<std::vector<SplineKnot>> BakeInnerLoops(const Spline& spline, size_t limit);

// Splits the segment between two knots at a time inside it: returns the new knot between them, and
// shortens the adjacent tangents of the two, so that the curve keeps its shape.
SplineKnot SplitSegment(const Spline& spline, double time, SplineKnot* from, SplineKnot* to);

// The slope of extrapolation that is not a loop. With `before`, `first` is the first knot and
// `second` the next one; otherwise `first` is the last knot and `second` the previous one. `second`
// is null if there is only one knot. Nothing if extrapolation is blocked.
std::optional<double> SlopeBeyond(const Extrapolation& extrapolation, const SplineKnot& first,
                                  const SplineKnot* second, bool before);

// The spline mapped by `offset`: times are mapped, widths scaled and slopes divided by the scale.
// The values of a time-valued spline are mapped too, so their slopes stay.
Spline RetimeSpline(const Spline& spline, const LayerOffset& offset);

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_VALUES_SPLINE_EVALUATION_H_

// Evaluation of splines, as OpenUSD's Ts does it: Bézier, Hermite, linear, held and blocked
// segments, dual-valued knots, inner loops, all kinds of extrapolation. Tangents that would make
// time run backwards are shortened, keeping their ratio. Pure functions; cost O(log knots),
// whatever the number of loops.
#ifndef STAGEDOOR_SCENE_VALUES_SPLINE_EVALUATION_H_
#define STAGEDOOR_SCENE_VALUES_SPLINE_EVALUATION_H_

#include <cstddef>
#include <optional>
#include <vector>

#include "scene/values/scalar_types.h"
#include "scene/values/spline.h"
#include "scene/values/value.h"

namespace stagedoor {

// From which side a time is approached, where the two differ.
enum class SplineSide { kAt, kPre };

// The value at `time`; none for a spline without knots, and in blocked segments and extrapolations.
// Knot times must ascend and be finite (readers see to it).
std::optional<double> EvaluateSpline(const Spline& spline, double time,
                                     SplineSide side = SplineSide::kAt);

// The same as a value of the spline's type: double, float, half, or timecode for a time-valued
// spline.
std::optional<Value> EvaluateSplineValue(const Spline& spline, double time,
                                         SplineSide side = SplineSide::kAt);

// Whether inner looping takes effect: a prototype interval that begins at a knot.
bool HasInnerLoops(const Spline& spline);

// Whether the value can differ between times.
bool SplineMightVary(const Spline& spline);

// Recomputes the tangents that are not authored but follow from the neighbouring knots: those with
// the autoEase algorithm, and the widths of all tangents of a Hermite spline. Readers call it once
// all knots are in.
void UpdateTangents(Spline* spline);

// Shortens the tangents of a Bézier spline that would make time run backwards, as evaluation does,
// but in the knots. OpenUSD does so when it reads a crate.
void ShortenRegressiveTangents(Spline* spline);

// The knots with those that inner looping adds; none where they would be more than `limit`.
std::optional<std::vector<SplineKnot>> UnrollInnerLoops(const Spline& spline, size_t limit);

// Cuts the segment between two knots at a time inside it: shortens their tangents to the halves and
// returns the knot that stands between them.
SplineKnot SplitSegment(const Spline& spline, double time, SplineKnot* from, SplineKnot* to);

// How steeply a value goes on before (after) the knots `first` and `second` (the last two, the last
// first), where extrapolation is not a loop. None for no value.
std::optional<double> SlopeBeyond(const Extrapolation& extrapolation, const SplineKnot& first,
                                  const SplineKnot* second, bool before);

// The spline as seen through `offset`: times mapped, widths scaled, slopes divided by the scale;
// the values of a time-valued spline are mapped too.
Spline RetimeSpline(const Spline& spline, const LayerOffset& offset);

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_VALUES_SPLINE_EVALUATION_H_

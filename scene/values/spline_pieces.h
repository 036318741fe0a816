#ifndef STAGEDOOR_SCENE_VALUES_SPLINE_PIECES_H_
#define STAGEDOOR_SCENE_VALUES_SPLINE_PIECES_H_

#include <optional>
#include <vector>

#include "scene/values/layer_offset.h"
#include "scene/values/spline.h"

namespace stagedoor {

// Cuts splines to intervals, maps them in time and joins them again. Flattening uses this to write
// the splines of value clips. A piece has the values of the whole spline if it contains knots of
// it; as in OpenUSD, a held segment that is played backwards holds the value that it led to. Pure
// functions.

// The part of the spline in [begin, end), with knots at both ends. Loops in this interval become
// knots. An infinite end keeps its extrapolation, a finite one gets `beyond`. Nothing if the loops
// would become too many knots.
std::optional<Spline> CutSpline(const Spline& spline, double begin, double end,
                                ExtrapolationMode beyond);

// A spline of the type of `like` that is constant in [begin, end), or blocked if there is no value.
// Both ends may be infinite.
Spline ConstantSpline(const Spline& like, double begin, double end, std::optional<double> value);

// Like RetimeSpline, but the scale may be negative, which reverses the spline. Inner loops then
// become knots, or are dropped if these would be too many.
Spline MapSpline(const Spline& spline, const LayerOffset& map);

// Joins consecutive pieces, each of which must have knots. Where two pieces meet, the left side of
// the knot comes from the left piece and the rest from the right one.
Spline JoinSplines(const std::vector<Spline>& pieces);

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_VALUES_SPLINE_PIECES_H_

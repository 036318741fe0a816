// Splines cut to intervals, mapped in time and joined again: what flattening writes for the splines
// of value clips. Pieces hold the values of the whole where they have knots of their own; as in
// OpenUSD a held segment that is played backwards holds what it led to. Pure functions.
#ifndef STAGEDOOR_SCENE_VALUES_SPLINE_PIECES_H_
#define STAGEDOOR_SCENE_VALUES_SPLINE_PIECES_H_

#include <optional>
#include <vector>

#include "scene/values/spline.h"

namespace stagedoor {

// The spline in [begin, end), with knots at both; loops inside become knots. An infinite end keeps
// its extrapolation, a finite one gets `beyond`. None where loops would become too many knots.
std::optional<Spline> CutSpline(const Spline& spline, double begin, double end,
                                ExtrapolationMode beyond);

// One of the type of `like` that stays at a value (none: without one) in [begin, end); either may
// be infinite.
Spline ConstantSpline(const Spline& like, double begin, double end, std::optional<double> value);

// As RetimeSpline, but the scale may be negative, which plays it backwards; inner loops then become
// knots, or are left out where these would be too many.
Spline MapSpline(const Spline& spline, const LayerOffset& map);

// Pieces one after another, none of them without knots: where they meet, what comes before a knot
// is from the left piece and the rest from the right one.
Spline JoinSplines(const std::vector<Spline>& pieces);

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_VALUES_SPLINE_PIECES_H_

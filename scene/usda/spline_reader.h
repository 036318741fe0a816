#ifndef STAGEDOOR_SCENE_USDA_SPLINE_READER_H_
#define STAGEDOOR_SCENE_USDA_SPLINE_READER_H_

#include "scene/usda/value_reader.h"
#include "scene/values/spline.h"

namespace stagedoor::usda {

// Reads `{ bezier, pre: held, 1: 5; post curve (1, 0), … }`, the knots and extrapolation of a
// spline (Core Specification, 16.2.13 Splines).

// `type` is the type of the attribute; types that cannot have splines are an error. If several
// knots have the same time, the first is kept.
bool ReadSpline(ParseContext* context, ValueReader* values, const ValueTypeName* type,
                Spline* spline);

}  // namespace stagedoor::usda

#endif  // STAGEDOOR_SCENE_USDA_SPLINE_READER_H_

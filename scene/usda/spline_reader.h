// Reads `{ bezier, pre: held, 1: 5; post curve (1, 0), … }`, the knots and ends of a spline.
#ifndef STAGEDOOR_SCENE_USDA_SPLINE_READER_H_
#define STAGEDOOR_SCENE_USDA_SPLINE_READER_H_

#include "scene/usda/value_reader.h"
#include "scene/values/spline.h"

namespace stagedoor::usda {

// `type` is that of the attribute; an error for types that have no splines. Of knots at one time
// the first counts.
bool ReadSpline(ParseContext* context, ValueReader* values, const ValueTypeName* type,
                Spline* spline);

}  // namespace stagedoor::usda

#endif  // STAGEDOOR_SCENE_USDA_SPLINE_READER_H_

#ifndef STAGEDOOR_SCENE_EDIT_VALUE_CAST_H_
#define STAGEDOOR_SCENE_EDIT_VALUE_CAST_H_

#include "scene/values/value.h"
#include "scene/values/value_type.h"

namespace stagedoor {

// Converts a value to another type where OpenUSD's VtValue::Cast does: numbers to numbers if they
// fit (fractions are cut off, and what is too large for a float is infinite), vectors of numbers to
// vectors of floating-point numbers of the same size, tokens to strings, strings to tokens and
// asset paths, doubles to time codes and durations and back; arrays of floating-point numbers and
// vectors. Lists and list edits of names are converted as well, and empty list edits to those of
// any type. Empty if the value cannot be converted.
Value CastValue(const Value& value, ValueType type, bool is_array);

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_EDIT_VALUE_CAST_H_

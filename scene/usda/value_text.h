#ifndef STAGEDOOR_SCENE_USDA_VALUE_TEXT_H_
#define STAGEDOOR_SCENE_USDA_VALUE_TEXT_H_

#include <cstddef>
#include <string>

#include "scene/values/value.h"

namespace stagedoor::usda {

// Writes values as text that reads back as the same value of the same type. Thread-safe.

// Appends the text of a scalar, array, path, block, array edit or unregistered string; nothing for
// values that have a syntax of their own (dictionaries, list ops, time samples …).
void AppendValueText(const Value& value, std::string* out);

// Appends a part of the text of an array: the elements from `begin` up to but excluding `end`, with
// the brackets where the array begins and ends. All parts together are the text of the array.
void AppendElements(const Value& array, size_t begin, size_t end, std::string* out);

// True if AppendValueText appends something for every value of this value's type.
bool HasText(const Value& value);

}  // namespace stagedoor::usda

#endif  // STAGEDOOR_SCENE_USDA_VALUE_TEXT_H_

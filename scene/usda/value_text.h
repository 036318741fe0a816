// Values as text that reads back as the same value of the same type.
#ifndef STAGEDOOR_SCENE_USDA_VALUE_TEXT_H_
#define STAGEDOOR_SCENE_USDA_VALUE_TEXT_H_

#include <cstddef>
#include <string>

#include "scene/values/value.h"

namespace stagedoor::usda {

// Scalars, arrays, paths, blocks, array edits and unregistered strings. Nothing is appended for
// values that have a syntax of their own (dictionaries, list ops, samples …).
void AppendValueText(const Value& value, std::string* out);

// A part of the text of an array: its elements from `begin` to before `end`, with the brackets
// where the array begins and ends. All parts together are the array's text.
void AppendElements(const Value& array, size_t begin, size_t end, std::string* out);

// Whether AppendValueText appends something for every value of the type, whatever it is.
bool HasText(const Value& value);

}  // namespace stagedoor::usda

#endif  // STAGEDOOR_SCENE_USDA_VALUE_TEXT_H_

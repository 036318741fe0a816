// Values as text that reads back as the same value of the same type.
#ifndef STAGEDOOR_SCENE_USDA_VALUE_TEXT_H_
#define STAGEDOOR_SCENE_USDA_VALUE_TEXT_H_

#include <string>

#include "scene/values/value.h"

namespace stagedoor::usda {

// Scalars, arrays, paths, blocks, array edits and unregistered strings. Nothing is appended for
// values that have a syntax of their own (dictionaries, list ops, samples …).
void AppendValueText(const Value& value, std::string* out);

}  // namespace stagedoor::usda

#endif  // STAGEDOOR_SCENE_USDA_VALUE_TEXT_H_

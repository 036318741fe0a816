#ifndef STAGEDOOR_SCENE_USDA_NUMBER_READER_H_
#define STAGEDOOR_SCENE_USDA_NUMBER_READER_H_

#include "scene/usda/number.h"

namespace stagedoor::usda {

// Reads numbers in layer text exactly and without copying (Core Specification, 16.2.5 Character and
// Numeric Literals).

// Reads the number at `at`: digits with an optional sign '-', fraction and exponent, or inf, -inf
// or nan. Integers that fit 64 bits stay integers ("-0" is a double). Returns the position after
// the number, or null if there is none. An exponent without digits is left unread.
const char* ReadNumber(const char* at, const char* end, Number* number);

}  // namespace stagedoor::usda

#endif  // STAGEDOOR_SCENE_USDA_NUMBER_READER_H_

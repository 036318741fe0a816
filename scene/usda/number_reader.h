// Numbers in layer text, read exactly and without copies.
#ifndef STAGEDOOR_SCENE_USDA_NUMBER_READER_H_
#define STAGEDOOR_SCENE_USDA_NUMBER_READER_H_

#include "scene/usda/text_cursor.h"

namespace stagedoor::usda {

// Reads the number at `at`: digits with an optional sign '-', fraction and exponent, inf, -inf or
// nan. Integers that fit 64 bits stay integers ("-0" is a double). Returns the position behind it,
// null when there is no number. An exponent without digits is left unread.
const char* ReadNumber(const char* at, const char* end, Number* number);

}  // namespace stagedoor::usda

#endif  // STAGEDOOR_SCENE_USDA_NUMBER_READER_H_

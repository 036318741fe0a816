#ifndef STAGEDOOR_SERVER_CONVERTERS_ARRAY_EDIT_TEXT_H_
#define STAGEDOOR_SERVER_CONVERTERS_ARRAY_EDIT_TEXT_H_

#include <string>

namespace stagedoor {

class ArrayEdit;

// An array edit as usda writes it, without the word "edit": "[append 3; write 1 to [0]]".
std::string ArrayEditText(const ArrayEdit& edit);

}  // namespace stagedoor

#endif  // STAGEDOOR_SERVER_CONVERTERS_ARRAY_EDIT_TEXT_H_

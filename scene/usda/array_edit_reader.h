#ifndef STAGEDOOR_SCENE_USDA_ARRAY_EDIT_READER_H_
#define STAGEDOOR_SCENE_USDA_ARRAY_EDIT_READER_H_

#include <functional>
#include <vector>

#include "scene/usda/text_cursor.h"
#include "scene/values/array_edit.h"

namespace stagedoor::usda {

// Reads `[ step; step … ]`, the steps of an array edit, which follow the keyword `edit` (usda 1.2).

// Appends the steps to `steps`. `read_element` reads one literal of the array's element type.
// Returns false after recording an error with the cursor.
bool ReadArrayEditSteps(TextCursor& cursor, const std::function<bool(Value*)>& read_element,
                        std::vector<ArrayEditStep>* steps);

}  // namespace stagedoor::usda

#endif  // STAGEDOOR_SCENE_USDA_ARRAY_EDIT_READER_H_

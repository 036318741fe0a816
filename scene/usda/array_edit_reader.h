// Reads `[ step; step … ]`, the steps of an array edit (behind the word edit).
#ifndef STAGEDOOR_SCENE_USDA_ARRAY_EDIT_READER_H_
#define STAGEDOOR_SCENE_USDA_ARRAY_EDIT_READER_H_

#include <functional>
#include <vector>

#include "scene/usda/text_cursor.h"
#include "scene/values/array_edit.h"

namespace stagedoor::usda {

// `read_element` reads one literal of the array's element type.
bool ReadArrayEditSteps(TextCursor& cursor, const std::function<bool(Value*)>& read_element,
                        std::vector<ArrayEditStep>* steps);

}  // namespace stagedoor::usda

#endif  // STAGEDOOR_SCENE_USDA_ARRAY_EDIT_READER_H_

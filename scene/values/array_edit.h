// ArrayEdit: an edit of an array-valued opinion, applied over the weaker value.
#ifndef STAGEDOOR_SCENE_VALUES_ARRAY_EDIT_H_
#define STAGEDOOR_SCENE_VALUES_ARRAY_EDIT_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "scene/values/value.h"

namespace stagedoor {

// One step. The item is a literal or, with `source`, the element at that index of the array as it
// then is. Negative indices count from the end.
struct ArrayEditStep {
  enum class Kind : uint8_t {
    kWrite,    // write ITEM to [index]
    kInsert,   // insert ITEM at [index]
    kPrepend,  // prepend ITEM
    kAppend,   // append ITEM
    kErase,    // erase [index]
    kMinSize,  // minsize N [fill ITEM]
    kMaxSize,  // maxsize N
    kResize,   // resize N [fill ITEM]
  };
  Kind kind = Kind::kWrite;
  std::optional<int64_t> source;
  Value literal;  // a scalar of the element type; empty when `source` is set or no item is given
  int64_t index = 0;
  int64_t size = 0;
  friend bool operator==(const ArrayEditStep&, const ArrayEditStep&) = default;
};

class ArrayEdit {
 public:
  ValueType element = ValueType::kEmpty;
  std::vector<ArrayEditStep> steps;
  friend bool operator==(const ArrayEdit&, const ArrayEdit&) = default;
};

// `weaker` with the edit's steps applied in order; steps whose index is out of range do nothing.
// Edits of no value, or of a value that is not such an array, edit an empty array; over a block the
// result is that block; over another edit, the composed edit. Invalid when the array would grow
// beyond kMaxEditedArrayBytes.
Value ApplyArrayEdit(const ArrayEdit& edit, const Value& weaker);
inline constexpr size_t kMaxEditedArrayBytes = size_t{1} << 30;

// One edit that does what `weak` and then `strong` do.
ArrayEdit ComposeArrayEdits(const ArrayEdit& strong, const ArrayEdit& weak);

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_VALUES_ARRAY_EDIT_H_

#ifndef STAGEDOOR_SCENE_VALUES_ARRAY_EDIT_H_
#define STAGEDOOR_SCENE_VALUES_ARRAY_EDIT_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "scene/values/value.h"

namespace stagedoor {

// One step of an edit. Its item is a literal or, with `source`, the element at that index of the
// array before the step. Negative indices count from the end.
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
  Value literal;  // a scalar of the element type; empty if `source` is set or there is no item
  int64_t index = 0;
  int64_t size = 0;
  friend bool operator==(const ArrayEditStep&, const ArrayEditStep&) = default;
};

// An opinion that edits the next weaker array value. Corresponds to OpenUSD's VtArrayEdit. Pure
// functions on plain data.
class ArrayEdit {
 public:
  ValueType element = ValueType::kEmpty;
  std::vector<ArrayEditStep> steps;
  friend bool operator==(const ArrayEdit&, const ArrayEdit&) = default;
};

// Applies the steps of the edit to `weaker` in order. Steps whose index is out of range do nothing.
// An absent value, or one that is not an array of the edit's type, counts as an empty array. A
// block or an invalid value is returned unchanged; over another edit the result is the composed
// edit. The result is Invalid if the array would grow beyond kMaxEditedArrayBytes.
Value ApplyArrayEdit(const ArrayEdit& edit, const Value& weaker);
inline constexpr size_t kMaxEditedArrayBytes = size_t{1} << 30;

// The edit that is equivalent to applying `weak` and then `strong`.
ArrayEdit ComposeArrayEdits(const ArrayEdit& strong, const ArrayEdit& weak);

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_VALUES_ARRAY_EDIT_H_

#ifndef STAGEDOOR_SCENE_VALUES_UNREGISTERED_VALUE_H_
#define STAGEDOOR_SCENE_VALUES_UNREGISTERED_VALUE_H_

#include <cstddef>
#include <string>

#include "base/hash.h"
#include "scene/values/item_index.h"
#include "scene/values/value.h"

namespace stagedoor {

// The value of a metadata field that is not registered, kept without being interpreted (section
// 7.4.7 Extension Metadata Fields). Holds a string (the text as written), a Dictionary or a
// ListOp<UnregisteredValue>. Corresponds to OpenUSD's SdfUnregisteredValue.
struct UnregisteredValue {
  Value held;
  friend bool operator==(const UnregisteredValue&, const UnregisteredValue&) = default;
};

template <>
struct ListItemHash<UnregisteredValue> {
  size_t operator()(const UnregisteredValue& v) const {
    const std::string* text = v.held.Get<std::string>();
    return text ? HashBytes(*text) : 0;
  }
};

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_VALUES_UNREGISTERED_VALUE_H_

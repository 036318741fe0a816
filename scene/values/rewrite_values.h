#ifndef STAGEDOOR_SCENE_VALUES_REWRITE_VALUES_H_
#define STAGEDOOR_SCENE_VALUES_REWRITE_VALUES_H_

#include <functional>
#include <optional>

#include "scene/values/value.h"

namespace stagedoor {

// Gives another value for one that is not a dictionary; nothing to keep it.
using ValueRewrite = std::function<std::optional<Value>(const Value&)>;

// `value` as `rewrite` changes it: a dictionary entry by entry, with those nested in it. Looks at
// each value once, and copies only dictionaries in which something changes.
Value RewriteValues(const Value& value, const ValueRewrite& rewrite);

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_VALUES_REWRITE_VALUES_H_

// How much memory a value holds beyond itself.
#ifndef STAGEDOOR_SCENE_LAYER_VALUE_BYTES_H_
#define STAGEDOOR_SCENE_LAYER_VALUE_BYTES_H_

#include <cstddef>

#include "scene/values/value.h"

namespace stagedoor {

// Bytes of the arrays, strings, dictionaries, lists and samples that a value held in memory refers
// to, for budgets: near enough, and never less than its arrays. Memory shared by several values
// counts for each. Decodes samples, so not for values that are decoded from a file on demand.
size_t ReferredBytes(const Value& value);

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_LAYER_VALUE_BYTES_H_

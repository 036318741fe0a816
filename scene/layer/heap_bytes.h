// The memory that a value refers to, for budgets.
#ifndef STAGEDOOR_SCENE_LAYER_HEAP_BYTES_H_
#define STAGEDOOR_SCENE_LAYER_HEAP_BYTES_H_

#include <cstddef>

#include "scene/values/value.h"

namespace stagedoor {

// An estimate of the heap memory of a value in bytes: its arrays, strings, dictionaries, lists and
// samples. Never less than the size of its arrays. Memory that several values share is counted for
// each. Decodes samples, so it must not be used for values that are decoded from a file on demand.
size_t HeapBytes(const Value& value);

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_LAYER_HEAP_BYTES_H_

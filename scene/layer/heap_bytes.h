#ifndef STAGEDOOR_SCENE_LAYER_HEAP_BYTES_H_
#define STAGEDOOR_SCENE_LAYER_HEAP_BYTES_H_

#include <cstddef>

#include "scene/values/value.h"

namespace stagedoor {

// The memory that a value refers to, for budgets.

// An estimate of the heap memory of a value in bytes: its arrays, strings, dictionaries, lists and
// samples. Never less than the size of its arrays. Memory that several values share is counted for
// each. Of samples that are decoded from a file on demand, only the times count.
size_t HeapBytes(const Value& value);

// As HeapBytes, without an array or samples that something else keeps too, such as another layer or
// the bytes of a file.
size_t OwnHeapBytes(const Value& value);

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_LAYER_HEAP_BYTES_H_

// Estimates of what the heap adds to objects, for code that charges its memory.
#ifndef STAGEDOOR_BASE_HEAP_COSTS_H_
#define STAGEDOOR_BASE_HEAP_COSTS_H_

#include <cstddef>

namespace stagedoor {

// Average overhead of a heap block, for its header and for rounding, in bytes.
inline constexpr size_t kHeapBlockBytes = 16;
// Overhead of a node of a tree or hash table beside its value, including its heap block, in bytes.
inline constexpr size_t kNodeBytes = 64;

}  // namespace stagedoor

#endif  // STAGEDOOR_BASE_HEAP_COSTS_H_

#ifndef STAGEDOOR_BASE_HEAP_PURGE_H_
#define STAGEDOOR_BASE_HEAP_PURGE_H_

namespace stagedoor {

// Returns all freed memory of the heap to the system now, which may take milliseconds. Does not
// allocate.
void PurgeHeap();

}  // namespace stagedoor

#endif  // STAGEDOOR_BASE_HEAP_PURGE_H_

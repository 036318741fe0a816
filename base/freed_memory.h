#ifndef STAGEDOOR_BASE_FREED_MEMORY_H_
#define STAGEDOOR_BASE_FREED_MEMORY_H_

namespace stagedoor {

// Gives memory that was freed back to the system, whichever heap the program is linked with. Takes
// long, and with glibc's heap other threads wait for it. Thread-safe.
void ReturnFreedMemory();

}  // namespace stagedoor

#endif  // STAGEDOOR_BASE_FREED_MEMORY_H_

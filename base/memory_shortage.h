#ifndef STAGEDOOR_BASE_MEMORY_SHORTAGE_H_
#define STAGEDOOR_BASE_MEMORY_SHORTAGE_H_

#include <chrono>

namespace stagedoor {

// A meeting point of allocations that find no room (base/memory_guard.h) with the one thread of the
// process that can free memory, by emptying caches. The allocations wait for it instead of failing
// at once, but not for long, because they may hold locks that it needs.

// The most that an allocation waits.
inline constexpr std::chrono::milliseconds kMemoryReliefPatience{100};

// Whether there is such a thread. Without one, the default, nobody waits.
void SetMemoryReliefOffered(bool offered);

// Waits until an allocation finds no room, for at most `patience`. Returns whether one has, since
// the last call of EndMemoryShortage.
bool AwaitMemoryShortage(std::chrono::milliseconds patience);

// The thread has freed what it could: allocations that wait try again. Those that find no room
// within kMemoryReliefPatience from now fail at once.
void EndMemoryShortage();

// Waits until the thread has freed what it can, or kMemoryReliefPatience has passed. False if it
// was not worth trying again. Does not allocate.
bool AwaitMemoryRelief();

}  // namespace stagedoor

#endif  // STAGEDOOR_BASE_MEMORY_SHORTAGE_H_

#ifndef STAGEDOOR_BASE_TESTING_FAILING_NEW_H_
#define STAGEDOOR_BASE_TESTING_FAILING_NEW_H_

#include <cstdint>

namespace stagedoor {

// A test that links //base/testing:failing_new can make allocations fail: `operator new` throws,
// but only in the work of requests (RequestScope), as in a daemon that has run out of memory.
// Works under sanitizers too. Thread-safe; allocations of all threads count.

// From now on, allocation number `first` (counted from 1) fails, and so do all after it if `all`.
void FailAllocations(uint64_t first, bool all);

// No more allocations fail. Returns the number of allocations since FailAllocations.
uint64_t StopFailingAllocations();

}  // namespace stagedoor

#endif  // STAGEDOOR_BASE_TESTING_FAILING_NEW_H_

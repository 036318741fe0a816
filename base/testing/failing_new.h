#ifndef STAGEDOOR_BASE_TESTING_FAILING_NEW_H_
#define STAGEDOOR_BASE_TESTING_FAILING_NEW_H_

#include <cstdint>

namespace stagedoor {

// A test that links //base/testing:failing_new can have allocations fail: `operator new` throws,
// but only in the work of requests (RequestMemoryScope), as in a daemon that has no memory left.
// Works under sanitizers too. Thread-safe; the counts are of all threads together.

// From now on the allocation number `first` (from 1) fails, and all after it if `all`.
void FailAllocations(uint64_t first, bool all);

// No allocation fails any more. Returns how many there were since the call above.
uint64_t StopFailing();

}  // namespace stagedoor

#endif  // STAGEDOOR_BASE_TESTING_FAILING_NEW_H_

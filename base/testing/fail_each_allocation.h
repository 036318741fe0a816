#ifndef STAGEDOOR_BASE_TESTING_FAIL_EACH_ALLOCATION_H_
#define STAGEDOOR_BASE_TESTING_FAIL_EACH_ALLOCATION_H_

#include <cstdint>
#include <new>

#include "base/memory_guard.h"
#include "base/testing/failing_new.h"

namespace stagedoor {

// Calls `fn` repeatedly, as the work of a request: first its first allocation fails, then its
// second, and so on. Returns the number of allocations, after a call in which none has failed.
template <typename Fn>
uint64_t FailEachAllocation(const Fn& fn) {
  for (uint64_t failing = 1;; ++failing) {
    const RequestMemoryScope scope;
    FailAllocations(failing, /*all=*/false);
    try {
      fn();
    } catch (const std::bad_alloc&) {
      StopFailingAllocations();
      continue;
    }
    if (StopFailingAllocations() < failing) return failing - 1;
  }
}

}  // namespace stagedoor

#endif  // STAGEDOOR_BASE_TESTING_FAIL_EACH_ALLOCATION_H_

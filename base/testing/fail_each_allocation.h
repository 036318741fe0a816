#ifndef STAGEDOOR_BASE_TESTING_FAIL_EACH_ALLOCATION_H_
#define STAGEDOOR_BASE_TESTING_FAIL_EACH_ALLOCATION_H_

#include <gtest/gtest.h>

#include <cstdint>
#include <new>

#include "base/request_scope.h"
#include "base/testing/failing_new.h"

namespace stagedoor {

// Calls `fn` repeatedly, as the work of a request: first its first allocation fails, then its
// second, and so on, and all after it if `all`. Calls `check` after each call, when allocations
// succeed again. Returns the number of allocations, after a call in which none has failed.
//
// Allocations within a RequestMemoryExemption do not fail, so `fn` can prepare each call in one.
template <typename Fn, typename Check>
uint64_t FailEachAllocation(const Fn& fn, const Check& check, bool all) {
  for (uint64_t failing = 1;; ++failing) {
    SCOPED_TRACE(failing);
    FailAllocations(failing, all);
    try {
      const RequestScope::Guard scope({.limits_memory = true});
      fn();
    } catch (const std::bad_alloc&) {
      // Only the effects are tested, by `check`.
    }
    const uint64_t allocations = StopFailingAllocations();
    check();
    if (allocations < failing) return allocations;
  }
}
template <typename Fn>
uint64_t FailEachAllocation(const Fn& fn) {
  return FailEachAllocation(
      fn, [] {}, /*all=*/false);
}

}  // namespace stagedoor

#endif  // STAGEDOOR_BASE_TESTING_FAIL_EACH_ALLOCATION_H_

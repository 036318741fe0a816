#ifndef STAGEDOOR_BASE_OUT_OF_MEMORY_H_
#define STAGEDOOR_BASE_OUT_OF_MEMORY_H_

#include <new>
#include <stdexcept>

#include "absl/status/status.h"

namespace stagedoor {

// RESOURCE_EXHAUSTED for an allocation that failed. Does not throw, although it allocates.
absl::Status OutOfMemoryError(const std::bad_alloc& failure = std::bad_alloc());

// RESOURCE_EXHAUSTED for a container that would exceed its maximum length. Does not throw.
absl::Status TooLongError();

// Returns fn(), or RESOURCE_EXHAUSTED if an allocation in it fails. `fn` returns an absl::Status or
// StatusOr. What `fn` was building is discarded; it must leave state that it shares with others
// unchanged.
//
// `failed` is called with such a failure. Where work continues after `fn` returned, `failed` ends
// the request (RequestContext::Fail), so that the failure is not mistaken for an error in a file's
// content.
//
// A last resort: code that knows sizes beforehand reserves them (RequestContext::Reserve).
template <typename Fn, typename Failed>
auto CatchOutOfMemory(const Fn& fn, const Failed& failed) -> decltype(fn()) {
  absl::Status failure;
  try {
    return fn();
  } catch (const std::bad_alloc& thrown) {
    failure = OutOfMemoryError(thrown);
  } catch (const std::length_error&) {
    failure = TooLongError();
  }
  failed(failure);
  return failure;
}
template <typename Fn>
auto CatchOutOfMemory(const Fn& fn) -> decltype(fn()) {
  return CatchOutOfMemory(fn, [](const absl::Status&) {});
}

}  // namespace stagedoor

#endif  // STAGEDOOR_BASE_OUT_OF_MEMORY_H_

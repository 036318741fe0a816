#ifndef STAGEDOOR_BASE_OUT_OF_MEMORY_H_
#define STAGEDOOR_BASE_OUT_OF_MEMORY_H_

#include <new>
#include <stdexcept>

#include "absl/status/status.h"

namespace stagedoor {

// RESOURCE_EXHAUSTED, for an allocation that failed. Does not throw, though it allocates.
absl::Status OutOfMemoryError(const std::bad_alloc& failure = std::bad_alloc());

// The same for a container that can't be that long.
absl::Status TooLongError();

// fn(), or RESOURCE_EXHAUSTED if an allocation in it fails. `fn` returns an absl::Status or
// StatusOr. What `fn` was building is gone; what it shares with others must be left as it was.
//
// `failed` is told of such a failure. Where work goes on after what `fn` returned, it ends the
// request (RequestContext::Fail), so that nobody takes the failure for one of a file's content.
//
// The last resort: whoever knows sizes beforehand reserves them (RequestContext::Reserve).
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

#ifndef STAGEDOOR_BASE_OUT_OF_MEMORY_H_
#define STAGEDOOR_BASE_OUT_OF_MEMORY_H_

#include <new>
#include <stdexcept>

#include "base/status.h"

namespace stagedoor {

// fn(), or RESOURCE_EXHAUSTED if an allocation in it fails. `fn` returns an absl::Status or
// StatusOr. What `fn` was building is gone; what it shares with others must be left as it was.
//
// The last resort: whoever knows sizes beforehand reserves them (RequestContext::Reserve).
template <typename Fn>
auto CatchOutOfMemory(const Fn& fn) -> decltype(fn()) {
  try {
    return fn();
  } catch (const std::bad_alloc&) {
    return ResourceExhaustedError("the daemon has no memory left for this request");
  } catch (const std::length_error&) {
    return ResourceExhaustedError("the request needs more than a container can hold");
  }
}

}  // namespace stagedoor

#endif  // STAGEDOOR_BASE_OUT_OF_MEMORY_H_

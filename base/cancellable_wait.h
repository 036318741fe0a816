#ifndef STAGEDOOR_BASE_CANCELLABLE_WAIT_H_
#define STAGEDOOR_BASE_CANCELLABLE_WAIT_H_

#include <algorithm>
#include <chrono>

#include "absl/status/status.h"
#include "base/mutex.h"
#include "base/request_context.h"

namespace stagedoor {

// Waits on `changed`, as CondVar does, on behalf of a request. Once the request is over, returns
// its error without waiting. Cancellation sets a flag without a notification, so the wait also ends
// every few milliseconds. Wait in a loop.
inline absl::Status CancellableWait(RequestContext& context, Mutex& mu, CondVar& changed)
    ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu) {
  constexpr std::chrono::milliseconds kCancelPoll{20};
  if (absl::Status alive = context.Check(); !alive.ok()) return alive;
  changed.WaitUntil(mu, std::min(context.deadline(), RequestContext::Clock::now() + kCancelPoll));
  return absl::OkStatus();
}

}  // namespace stagedoor

#endif  // STAGEDOOR_BASE_CANCELLABLE_WAIT_H_

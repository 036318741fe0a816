#ifndef STAGEDOOR_BASE_WANTED_WAIT_H_
#define STAGEDOOR_BASE_WANTED_WAIT_H_

#include <algorithm>
#include <chrono>

#include "absl/status/status.h"
#include "base/mutex.h"
#include "base/request_context.h"

namespace stagedoor {

// Waits on `changed`, as CondVar does, on behalf of a request. Its error, without waiting, once it
// is over. Cancellation sets a flag and wakes nobody, hence wakes up now and then.
inline absl::Status WaitWhileWanted(RequestContext& context, Mutex& mu, CondVar& changed)
    ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu) {
  constexpr std::chrono::milliseconds kCancelPoll{20};
  if (absl::Status alive = context.Check(); !alive.ok()) return alive;
  changed.WaitUntil(mu, std::min(context.deadline(), RequestContext::Clock::now() + kCancelPoll));
  return absl::OkStatus();
}

}  // namespace stagedoor

#endif  // STAGEDOOR_BASE_WANTED_WAIT_H_

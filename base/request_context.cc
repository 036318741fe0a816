#include "base/request_context.h"

#include <algorithm>
#include <new>
#include <utility>

#include "base/status.h"

namespace stagedoor {

absl::Status RequestContext::Check() const {
  if (failed()) {
    MutexLock lock(mu_);
    return failure_;
  }
  if (cancelled()) return CancelledError("the request was cancelled");
  if (has_deadline() && Clock::now() >= deadline_) {
    return DeadlineExceededError("the request's deadline has passed");
  }
  return absl::OkStatus();
}

void RequestContext::Fail(absl::Status status) {
  MutexLock lock(mu_);
  if (status.ok() || !failure_.ok()) return;
  failure_ = std::move(status);
  failed_.store(true, std::memory_order_release);
}

absl::Status RequestContext::Spend(uint64_t steps) {
  const uint64_t spent = steps_.fetch_add(steps, std::memory_order_relaxed) + steps;
  if (spent > max_steps_) {
    Fail(ResourceExhaustedError("the request exceeds the limit of ", max_steps_,
                                " steps of work; request less at once, or raise --max-call-steps"));
  }
  absl::Status status = Check();
  Fail(status);
  return status;
}

absl::Status RequestContext::Refuse(const Refusal& refusal) {
  if (&refusal.pool != this) {
    Fail(MemoryPool::Refuse(refusal));
  } else {
    Fail(ResourceExhaustedError(refusal.what, ": the request exceeds the limit of ", refusal.most,
                                " bytes; request less at once, or raise --max-call-bytes"));
  }
  return Check();
}

void RequestContext::DeferDestruction(std::shared_ptr<const void> made) {
  try {
    MutexLock lock(mu_);
    discarded_.push_back(std::move(made));
  } catch (const std::bad_alloc&) {
    // Without room in the list it is freed right away.
  }
}

std::vector<std::shared_ptr<const void>> RequestContext::TakeDeferred() {
  MutexLock lock(mu_);
  return std::exchange(discarded_, {});
}

void RequestContext::Warn(Warning warning) {
  MutexLock lock(mu_);
  if (warnings_.size() == kMaxWarnings) return;
  if (std::find(warnings_.begin(), warnings_.end(), warning) != warnings_.end()) return;
  warnings_.push_back(std::move(warning));
  warning_count_.store(warnings_.size(), std::memory_order_relaxed);
}

std::vector<Warning> RequestContext::warnings() const {
  MutexLock lock(mu_);
  return warnings_;
}

}  // namespace stagedoor

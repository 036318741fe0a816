#include "base/request_context.h"

#include <algorithm>
#include <new>
#include <utility>

#include "base/byte_budget.h"
#include "base/status.h"

namespace stagedoor {
namespace {

constexpr size_t kPartForSmallRequests = 16;

}  // namespace

RequestContext::~RequestContext() {
  if (limits_.shared_bytes != nullptr) limits_.shared_bytes->Return(reserved_bytes());
}

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
  if (spent > limits_.max_steps) {
    Fail(ResourceExhaustedError("the request exceeds the limit of ", limits_.max_steps,
                                " steps of work; request less at once, or raise --max-call-steps"));
  }
  absl::Status status = Check();
  Fail(status);
  return status;
}

absl::Status RequestContext::Reserve(size_t bytes, std::string_view what) {
  size_t reserved = reserved_.load(std::memory_order_relaxed);
  do {
    if (bytes > limits_.max_bytes || reserved > limits_.max_bytes - bytes) {
      Fail(ResourceExhaustedError(what, ": the request exceeds the limit of ", limits_.max_bytes,
                                  " bytes; request less at once, or raise --max-call-bytes"));
      return Check();
    }
  } while (!reserved_.compare_exchange_weak(reserved, reserved + bytes, std::memory_order_relaxed));
  if (limits_.shared_bytes == nullptr) return absl::OkStatus();
  const bool small = reserved + bytes <= kSmallRequestBytes;
  absl::Status taken = limits_.shared_bytes->Take(
      bytes, what, small ? 0 : limits_.shared_bytes->limit() / kPartForSmallRequests);
  if (taken.ok()) return taken;
  reserved_.fetch_sub(bytes, std::memory_order_relaxed);
  Fail(taken);
  return Check();
}

void RequestContext::Release(size_t bytes) {
  reserved_.fetch_sub(bytes, std::memory_order_relaxed);
  if (limits_.shared_bytes != nullptr) limits_.shared_bytes->Return(bytes);
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

#include "client/cc/coalesced_query.h"

#include "base/status.h"

namespace stagedoor {

void CoalescedQuery::ObserveCancellation(const std::shared_ptr<CoalescedQuery>& self) {
  if (cancellation == nullptr) return;
  hook_.emplace(cancellation, [weak = std::weak_ptr<CoalescedQuery>(self)] {
    if (const auto query = weak.lock()) query->Answer(CancelledError("the call was cancelled"));
  });
}

void CoalescedQuery::Answer(Reply reply) {
  {
    MutexLock lock(mu_);
    if (std::exchange(answered_, true)) return;
    if (!done_) {
      reply_.emplace(std::move(reply));
      changed_.NotifyOne();
      return;
    }
  }
  done_(std::move(reply));
}

bool CoalescedQuery::answered() const {
  MutexLock lock(mu_);
  return answered_;
}

std::optional<CoalescedQuery::Reply> CoalescedQuery::WaitFor(
    std::chrono::steady_clock::duration timeout) {
  const auto end = std::chrono::steady_clock::now() + timeout;
  MutexLock lock(mu_);
  while (!reply_.has_value() && std::chrono::steady_clock::now() < end) {
    changed_.WaitUntil(mu_, end);
  }
  return std::exchange(reply_, std::nullopt);
}

}  // namespace stagedoor

#include "server/rpc/refusal_counters.h"

#include <algorithm>
#include <string>

#include "base/status.h"
#include "server/error_info.h"

namespace stagedoor::server {
namespace {

size_t IndexOf(std::string_view reason) {
  const auto& reasons = RefusalCounters::kReasons;
  const auto found = std::find(reasons.begin(), reasons.end() - 1, reason);
  return static_cast<size_t>(found - reasons.begin());
}

}  // namespace

void RefusalCounters::Count(const absl::Status& status) {
  const bool exhausted = status.code() == absl::StatusCode::kResourceExhausted;
  if (!exhausted && status.code() != absl::StatusCode::kUnavailable) return;
  std::string reason = GetExhaustedBudget(status);
  if (reason.empty()) {
    if (!exhausted) return;  // the origin of an asset is unavailable
    reason = RetryDelay(status).has_value() ? "bytes" : "limits";
  }
  counts_[IndexOf(reason)].fetch_add(1, std::memory_order_relaxed);
}

}  // namespace stagedoor::server

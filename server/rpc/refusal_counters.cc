#include "server/rpc/refusal_counters.h"

#include <algorithm>
#include <string>

#include "base/memory_guard.h"
#include "base/status.h"
#include "google/rpc/error_details.pb.h"
#include "server/error_info.h"

namespace stagedoor::server {
namespace {

// The budget that the error names. Empty if it names none.
std::string BudgetOf(const absl::Status& status) {
  const auto payload =
      status.GetPayload(absl::string_view(kErrorInfoUrl.data(), kErrorInfoUrl.size()));
  if (!payload.has_value()) return {};
  const RequestMemoryExemption pause;  // protobuf maps do not survive a failed allocation
  google::rpc::ErrorInfo info;
  if (!info.ParseFromString(std::string(*payload))) return {};
  const auto budget = info.metadata().find("budget");
  return budget == info.metadata().end() ? std::string() : budget->second;
}

size_t IndexOf(std::string_view reason) {
  const auto& reasons = RefusalCounters::kReasons;
  const auto found = std::find(reasons.begin(), reasons.end() - 1, reason);
  return static_cast<size_t>(found - reasons.begin());
}

}  // namespace

void RefusalCounters::Count(const absl::Status& status) {
  const bool exhausted = status.code() == absl::StatusCode::kResourceExhausted;
  if (!exhausted && status.code() != absl::StatusCode::kUnavailable) return;
  std::string reason = BudgetOf(status);
  if (reason.empty()) {
    if (!exhausted) return;  // the origin of an asset is unavailable
    reason = RetryDelay(status).has_value() ? "bytes" : "limits";
  }
  counts_[IndexOf(reason)].fetch_add(1, std::memory_order_relaxed);
}

}  // namespace stagedoor::server

#include "server/rpc/call_admission.h"

#include <algorithm>
#include <utility>

#include "base/status.h"
#include "server/error_info.h"

namespace stagedoor::server {
namespace {

// Most calls take far less, so a retry after this delay is likely to be admitted.
constexpr std::chrono::milliseconds kRetryDelay{200};

// The maximum for any call; longer durations would overflow the clock.
constexpr std::chrono::hours kLongestDuration{24 * 365};

}  // namespace

void MethodCounters::RecordCall(absl::StatusCode code, std::chrono::nanoseconds spent) {
  nanoseconds.fetch_add(spent.count(), std::memory_order_relaxed);
  if (code != absl::StatusCode::kOk) errors.fetch_add(1, std::memory_order_relaxed);
  const auto status = std::min(static_cast<size_t>(code), kStatusCodes - 1);
  by_status[status].fetch_add(1, std::memory_order_relaxed);
  const double seconds = std::chrono::duration<double>(spent).count();
  const auto bound = std::lower_bound(kLatencySeconds.begin(), kLatencySeconds.end(), seconds);
  by_latency[static_cast<size_t>(bound - kLatencySeconds.begin())].fetch_add(
      1, std::memory_order_relaxed);
}

CallAdmission::CallAdmission(LaneExecutor& executor, const CallLimits& limits,
                             std::function<StallWatchdog::Clock::time_point()> now)
    : executor_(executor),
      max_calls_(limits.max_calls),
      max_steps_(limits.max_steps),
      max_bytes_(limits.max_bytes.value()),
      max_duration_(std::min<std::chrono::seconds>(limits.max_duration, kLongestDuration)),
      bytes_(limits.all_bytes.value()),
      stall_watchdog_(std::min<std::chrono::seconds>(limits.stall, kLongestDuration),
                      std::move(now)) {}

absl::Status CallAdmission::Admit() {
  if (calls_.fetch_add(1, std::memory_order_relaxed) < max_calls_) return absl::OkStatus();
  Release();
  const absl::Status full = ResourceExhaustedError("the server is already running its limit of ",
                                                   max_calls_, " calls; try again later");
  return WithRetryDelay(WithReason(full, v1::ERROR_REASON_BUDGET_EXHAUSTED, {{"budget", "calls"}}),
                        kRetryDelay);
}

RequestContext::Clock::time_point CallAdmission::Deadline(
    RequestContext::Clock::time_point wanted) const {
  return std::min(wanted, RequestContext::Clock::now() + max_duration_);
}

MethodCounters& CallAdmission::GetMethodCounters(std::string_view method) {
  MutexLock lock(mu_);
  auto it = counters_.find(method);
  if (it == counters_.end()) {
    it = counters_.emplace(std::string(method), std::make_unique<MethodCounters>(method)).first;
  }
  return *it->second;
}

std::vector<const MethodCounters*> CallAdmission::AllCounters() const {
  MutexLock lock(mu_);
  std::vector<const MethodCounters*> all;
  for (const auto& [name, counters] : counters_) all.push_back(counters.get());
  return all;
}

}  // namespace stagedoor::server

#include "server/rpc/call_admission.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "base/status.h"
#include "base/strings.h"

namespace stagedoor::server {
namespace {

// The maximum for any call; longer durations would overflow the clock.
constexpr std::chrono::hours kLongestDuration{24 * 365};

constexpr size_t kUnlimited = std::numeric_limits<size_t>::max();

size_t MaxCalls(const Caller& caller) {
  return caller.grants == nullptr ? kUnlimited : caller.grants->max_calls;
}

std::shared_ptr<CallQueue> MakeQueue(LaneExecutor& executor, const CallLimits& limits,
                                     std::function<CallQueue::Clock::time_point()> now) {
  CallQueue::Options options;
  options.calls = {.threads = static_cast<size_t>(executor.concurrency()),
                   .max_overrunning = executor.max_overrunning(),
                   .max_waiting_per_share = limits.max_waiting_per_client};
  options.max_wait = std::min<std::chrono::milliseconds>(limits.max_wait, kLongestDuration);
  options.now = std::move(now);
  return std::make_shared<CallQueue>(
      [&executor](Lane lane, std::function<void()> fn) { executor.Schedule(lane, std::move(fn)); },
      std::move(options));
}

}  // namespace

MethodCounters::MethodCounters(std::string_view method, const MethodPolicy& policy)
    : name(method),
      group(policy.group),
      is_essential(policy.is_essential || policy.group == RpcGroup::kAdmin) {}

void MethodCounters::RecordCall(absl::StatusCode code, std::chrono::nanoseconds spent) {
  nanoseconds.fetch_add(spent.count(), std::memory_order_relaxed);
  if (code != absl::StatusCode::kOk) errors.fetch_add(1, std::memory_order_relaxed);
  const auto status = std::min(static_cast<size_t>(code), kStatusCodes - 1);
  by_status[status].fetch_add(1, std::memory_order_relaxed);
  latency.Record(spent);
}

void MethodCounters::RecordMessages(std::chrono::nanoseconds queued, uint64_t in, uint64_t out) {
  queue_time.Record(queued);
  bytes_in.fetch_add(in, std::memory_order_relaxed);
  bytes_out.fetch_add(out, std::memory_order_relaxed);
}

CallAdmission::CallAdmission(LaneExecutor& executor, const CallLimits& limits,
                             std::function<StallWatchdog::Clock::time_point()> now)
    : executor_(executor),
      queue_(MakeQueue(executor, limits, now)),
      max_calls_(limits.max_calls),
      max_steps_(limits.max_steps),
      max_bytes_(limits.max_bytes.value()),
      max_duration_(std::min<std::chrono::seconds>(limits.max_duration, kLongestDuration)),
      turn_time_(limits.turn_time),
      turn_bytes_(limits.turn_bytes),
      bytes_("calls", limits.all_bytes.value()),
      stall_watchdog_(std::min<std::chrono::seconds>(limits.stall, kLongestDuration), now),
      suspended_(now),
      slowest_calls_(std::move(now)) {}

absl::StatusOr<std::shared_ptr<const Caller>> CallAdmission::Identify(
    const grpc::ServerContextBase& context, const MethodCounters& method) const {
  if (gate_ == nullptr) return nullptr;
  return gate_->Identify(context, method.name, method.group);
}

absl::StatusOr<std::shared_ptr<const Caller>> CallAdmission::IdentifyPeer(
    const SocketCredentials* credentials, const MethodCounters& method) const {
  if (gate_ == nullptr) return nullptr;
  return gate_->IdentifyPeer(credentials, method.name, method.group);
}

absl::Status CallAdmission::Admit() {
  if (calls_.fetch_add(1, std::memory_order_relaxed) < max_calls_) return absl::OkStatus();
  Release();
  return queue_->Refusal(ResourceExhaustedError("the server is already running its limit of ",
                                                max_calls_, " calls; try again later"),
                         "calls");
}

absl::Status CallAdmission::AdmitCaller(const Caller& caller) {
  const size_t limit = MaxCalls(caller);
  if (limit == kUnlimited) return absl::OkStatus();
  {
    MutexLock lock(callers_mu_);
    const auto calls = identity_calls_.try_emplace(caller.identity.name, 0).first;
    if (calls->second < limit) {
      ++calls->second;
      return absl::OkStatus();
    }
    if (calls->second == 0) identity_calls_.erase(calls);  // the limit is 0
  }
  return queue_->Refusal(
      ResourceExhaustedError(Quoted(caller.identity.name), " already runs its limit of ", limit,
                             " calls; try again later"),
      "identity calls");
}

void CallAdmission::CountCaller(const Caller& caller) {
  if (MaxCalls(caller) == kUnlimited) return;
  MutexLock lock(callers_mu_);
  ++identity_calls_[caller.identity.name];
}

void CallAdmission::ReleaseCaller(const Caller& caller) {
  if (MaxCalls(caller) == kUnlimited) return;
  MutexLock lock(callers_mu_);
  const auto calls = identity_calls_.find(caller.identity.name);
  if (--calls->second == 0) identity_calls_.erase(calls);
}

absl::Status CallAdmission::CheckMemory(const MethodCounters& method, Lane lane) const {
  if (method.is_essential) return absl::OkStatus();
  const MemoryLevel level = memory_level_.load(std::memory_order_relaxed);
  const MemoryLevel refused = lane == Lane::kLong ? MemoryLevel::kHigh : MemoryLevel::kCritical;
  if (level < refused) return absl::OkStatus();
  return queue_->Refusal(UnavailableError("the daemon's memory is short; try again later"),
                         "memory");
}

RequestContext::Clock::time_point CallAdmission::Deadline(
    RequestContext::Clock::time_point wanted) const {
  return std::min(wanted, RequestContext::Clock::now() + max_duration_);
}

MethodCounters& CallAdmission::GetMethodCounters(std::string_view method,
                                                 const MethodPolicy& policy) {
  MutexLock lock(mu_);
  auto it = counters_.find(method);
  if (it == counters_.end()) {
    it = counters_.emplace(std::string(method), std::make_unique<MethodCounters>(method, policy))
             .first;
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

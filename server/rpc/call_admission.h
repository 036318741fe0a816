#ifndef STAGEDOOR_SERVER_RPC_CALL_ADMISSION_H_
#define STAGEDOOR_SERVER_RPC_CALL_ADMISSION_H_

#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "base/lane_executor.h"
#include "base/memory_pool.h"
#include "base/mutex.h"
#include "base/request_context.h"
#include "server/access/call_gate.h"
#include "server/access/caller.h"
#include "server/call_limits.h"
#include "server/memory/memory_pressure.h"
#include "server/rpc/call_queue.h"
#include "server/rpc/call_registry.h"
#include "server/rpc/latency_histogram.h"
#include "server/rpc/method_policy.h"
#include "server/rpc/refusal_counters.h"
#include "server/rpc/slowest_calls.h"
#include "server/rpc/stall_watchdog.h"
#include "server/rpc/suspended_calls.h"

namespace stagedoor::server {

class RequestLog;

// Call counts and durations of one method. Thread-safe.
struct MethodCounters {
  MethodCounters(std::string_view method, const MethodPolicy& policy);
  const std::string name;
  const RpcGroup group;
  // Whether calls free memory, or show and steer what a daemon does: they are not refused because
  // memory is short.
  const bool is_essential;
  std::atomic<int64_t> calls{0};
  std::atomic<int64_t> errors{0};
  std::atomic<int64_t> nanoseconds{0};

  static constexpr size_t kStatusCodes = 17;
  std::array<std::atomic<int64_t>, kStatusCodes> by_status{};  // ended calls
  LatencyHistogram latency;                                    // of ended calls
  LatencyHistogram queue_time;  // of ended calls, from their arrival to their first step
  std::atomic<uint64_t> bytes_in{0};
  std::atomic<uint64_t> bytes_out{0};

  void RecordCall(absl::StatusCode code, std::chrono::nanoseconds spent);
  // Records the wait of an ended call and the sizes of its messages.
  void RecordMessages(std::chrono::nanoseconds queued, uint64_t in, uint64_t out);
};

// Shared by all calls of the server: the executor and the queue before it, the limits on calls in
// flight, and counters. Thread-safe; outlives all calls.
class CallAdmission {
 public:
  // max_bytes and all_bytes of `limits` must be set.
  CallAdmission(LaneExecutor& executor, const CallLimits& limits,
                std::function<StallWatchdog::Clock::time_point()> now = StallWatchdog::Clock::now);

  // From now on, only calls that `gate` lets pass are admitted. To be called before the first call.
  // The gate must outlive all calls.
  void SetGate(CallGate* gate) { gate_ = gate; }
  // The caller of a call of a method. Null without a gate.
  absl::StatusOr<std::shared_ptr<const Caller>> Identify(const grpc::ServerContextBase& context,
                                                         const MethodCounters& method) const;
  // Identifies the caller on a Unix socket that gRPC does not serve: see CallGate::IdentifyPeer.
  absl::StatusOr<std::shared_ptr<const Caller>> IdentifyPeer(const SocketCredentials* credentials,
                                                             const MethodCounters& method) const;

  LaneExecutor& executor() { return executor_; }
  // Where calls wait for a thread of the executor.
  CallQueue& queue() { return *queue_; }
  const CallQueue& queue() const { return *queue_; }
  StallWatchdog& stall_watchdog() { return stall_watchdog_; }
  const StallWatchdog& stall_watchdog() const { return stall_watchdog_; }

  // Where ended calls are logged; null, the default, if they are not. To be set before there are
  // calls, and to outlive them.
  void SetRequestLog(RequestLog* log) { request_log_ = log; }
  RequestLog* request_log() const { return request_log_; }
  RefusalCounters& refusals() { return refusals_; }
  const RefusalCounters& refusals() const { return refusals_; }

  // The records of calls in flight, and of those that have ended, for operators.
  CallRegistry& registry() { return registry_; }
  const CallRegistry& registry() const { return registry_; }
  SlowestCalls& slowest_calls() { return slowest_calls_; }
  const SlowestCalls& slowest_calls() const { return slowest_calls_; }

  // Admits one more call in flight, to be ended with Release. RESOURCE_EXHAUSTED at the limit:
  // clients retry later instead of queueing without bound.
  absl::Status Admit();
  // Counts a call that was admitted and released before, even above the limit.
  void Count() { calls_.fetch_add(1, std::memory_order_relaxed); }
  void Release() { calls_.fetch_sub(1, std::memory_order_relaxed); }
  size_t calls_in_flight() const { return calls_.load(std::memory_order_relaxed); }

  // Counts an admitted call for its identity, to be ended with ReleaseCaller, if the grants of
  // `caller` limit the calls of an identity in flight. RESOURCE_EXHAUSTED at that limit.
  absl::Status AdmitCaller(const Caller& caller);
  // Counts a call of a caller that was admitted and released before, even above the limit.
  void CountCaller(const Caller& caller);
  void ReleaseCaller(const Caller& caller);

  // The calls that wait for an event. They are no calls in flight.
  SuspendedCalls& suspended() { return suspended_; }
  const SuspendedCalls& suspended() const { return suspended_; }

  // The memory level decides which calls may begin: heavy ones only at kNormal, none but light and
  // essential ones at kCritical.
  void SetMemoryLevel(MemoryLevel level) { memory_level_.store(level, std::memory_order_relaxed); }
  // UNAVAILABLE with a retry delay if memory is too short to begin a call of a method in a lane.
  absl::Status CheckMemory(const MethodCounters& method, Lane lane) const;

  // The limits of one call.
  RequestLimits MakeRequestLimits() { return {max_steps_, max_bytes_, &bytes_}; }
  // The deadline of a call that arrives now and whose client wants `wanted` (max if it has none).
  RequestContext::Clock::time_point Deadline(RequestContext::Clock::time_point wanted) const;
  // Whether a turn of a stream that began at `begin` has lasted, or made messages of `bytes`, long
  // enough: then it is the turn of others.
  bool TurnIsOver(std::chrono::steady_clock::time_point begin, size_t bytes) const {
    return bytes >= turn_bytes_ || std::chrono::steady_clock::now() - begin >= turn_time_;
  }
  // The memory that all calls in flight have reserved.
  const MemoryPool& bytes() const { return bytes_; }

  // Acquires the right to run light work on the calling gRPC thread, to be given back with
  // ReleaseInlineSlot. False if another gRPC thread has it. Waking an executor thread takes longer
  // than a small reply. gRPC has at least two threads, so one remains for everything else even if
  // the work waits for a disk.
  bool TryAcquireInlineSlot() { return !here_.test_and_set(std::memory_order_acquire); }
  void ReleaseInlineSlot() { here_.clear(std::memory_order_release); }

  // The counters of a method, created on first use. Valid as long as this object.
  // The counters of a method, named "stagedoor.v1.QueryService/GetPrim". `policy` is used the first
  // time.
  MethodCounters& GetMethodCounters(std::string_view method, const MethodPolicy& policy);
  std::vector<const MethodCounters*> AllCounters() const;

 private:
  LaneExecutor& executor_;
  CallGate* gate_ = nullptr;
  const std::shared_ptr<CallQueue> queue_;
  const size_t max_calls_;
  const uint64_t max_steps_;
  const size_t max_bytes_;
  const std::chrono::seconds max_duration_;
  const std::chrono::microseconds turn_time_;
  const size_t turn_bytes_;
  MemoryPool bytes_;
  StallWatchdog stall_watchdog_;
  RequestLog* request_log_ = nullptr;
  RefusalCounters refusals_;
  CallRegistry registry_;
  SuspendedCalls suspended_;
  SlowestCalls slowest_calls_;
  std::atomic<size_t> calls_{0};
  std::atomic<MemoryLevel> memory_level_{MemoryLevel::kNormal};
  std::atomic_flag here_;  // set while a gRPC thread runs work

  Mutex callers_mu_;
  // The calls in flight by the name of their identity, where its grants limit them.
  std::map<std::string, size_t, std::less<>> identity_calls_ ABSL_GUARDED_BY(callers_mu_);

  mutable Mutex mu_;
  std::map<std::string, std::unique_ptr<MethodCounters>, std::less<>> counters_
      ABSL_GUARDED_BY(mu_);
};

}  // namespace stagedoor::server

#endif  // STAGEDOOR_SERVER_RPC_CALL_ADMISSION_H_

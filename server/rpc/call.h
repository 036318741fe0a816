#ifndef STAGEDOOR_SERVER_RPC_CALL_H_
#define STAGEDOOR_SERVER_RPC_CALL_H_

#include <grpcpp/support/status.h>

#include <chrono>
#include <cstdint>
#include <exception>
#include <memory>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "base/out_of_memory.h"
#include "base/request_context.h"
#include "base/request_scope.h"
#include "base/status.h"
#include "server/access/caller.h"
#include "server/log/crash_handler.h"
#include "server/log/request_log.h"
#include "server/rpc/call_admission.h"
#include "server/rpc/call_notes.h"
#include "server/rpc/call_registry.h"

namespace stagedoor::server {

// The part common to unary and streaming calls: admission, the request context with its limits,
// counters, the record in the request log, the entry in the list of calls in flight.
class Call final : private CallRegistry::Entry {
 public:
  // `caller` is the result of CallAdmission::Identify; an error rejects the call. `client` is that
  // of the call; null for a call that gRPC does not serve, whose client is `peer`, a literal.
  Call(CallAdmission& admission, MethodCounters& counters,
       std::chrono::system_clock::time_point deadline,
       absl::StatusOr<std::shared_ptr<const Caller>> caller = nullptr,
       const grpc::CallbackServerContext* client = nullptr, std::string_view peer = {});
  ~Call();
  Call(const Call&) = delete;
  Call& operator=(const Call&) = delete;

  CallAdmission& admission() { return admission_; }
  RequestContext& context() { return context_; }
  // Non-OK if the caller may not make the call, or the server cannot run another one.
  const absl::Status& admission_status() const { return admission_status_; }

  // Non-OK if memory is too short to begin the call in a lane.
  absl::Status CheckMemory(Lane lane) const { return admission_.CheckMemory(counters_, lane); }

  // Whether the client has sent metadata of this key.
  bool HasMetadata(const char* key) { return notes_.HasMetadata(key); }
  // Whether what was done for it depends on value clips.
  bool reads_clips() const { return notes_.reads_clips(); }

  // The caller. Null if it is not known.
  const Caller* caller() const { return caller_.ok() ? caller_->get() : nullptr; }

  // To be called at each step of the work. The call has waited in the queue until the first one.
  void BeginStep() {
    set_state(CallState::kWorking);
    if (!std::exchange(has_begun_, true)) queued_ = Clock::now() - arrived();
  }
  // To be called before the call waits, for a thread or for its client, by the thread that works on
  // it. AddToRegistry lets operators see it until it is destroyed.
  using Entry::set_state;
  void AddToRegistry() { admission_.registry().Add(*this); }
  // Count the bytes of a message.
  void AddBytesIn(size_t bytes) { bytes_in_ += bytes; }
  void AddBytesOut(size_t bytes) { bytes_out_ += bytes; }
  // Sets the time that the messages of a stream have taken. Otherwise the call is taken to have
  // worked from its first step to its end.
  void SetWorked(std::chrono::nanoseconds worked) { worked_ = worked; }

  // Runs `work`, which returns an absl::Status or StatusOr, and returns its result. Returns an
  // error instead if the call was not admitted or has ended, or if `work` exceeded a limit without
  // reporting it. A failed allocation becomes RESOURCE_EXHAUSTED, any other exception INTERNAL,
  // because neither gRPC nor the executor handles exceptions.
  template <typename Fn>
  auto Run(const Fn& work) -> decltype(work());

  // A suspended call does not count as one in flight. To be called in turns.
  void LeaveFlight();
  void ReturnToFlight();

  // Counts the end of the call, logs it if the request log asks for it, and returns the status to
  // send.
  grpc::Status End(const absl::Status& status);

 private:
  using Clock = std::chrono::steady_clock;

  void Describe(CallInFlight* out) override;
  // Writes to the request log, and keeps the call if it is one of the slowest.
  void Log(const absl::Status& status, std::chrono::nanoseconds duration,
           std::chrono::nanoseconds worked);
  RequestRecord MakeRecord(const absl::Status& status, std::chrono::nanoseconds duration,
                           std::chrono::nanoseconds worked);

  CallAdmission& admission_;
  MethodCounters& counters_;
  const absl::StatusOr<std::shared_ptr<const Caller>> caller_;
  absl::Status admission_status_;
  const bool admitted_;         // towards the calls in flight of the server
  bool caller_counts_ = false;  // towards the calls of its identity
  bool in_flight_ = true;
  RequestContext context_;
  CallNotes notes_;
  bool has_begun_ = false;
  std::chrono::nanoseconds queued_{0};   // until its first step
  std::chrono::nanoseconds worked_{-1};  // negative if not set
  uint64_t bytes_in_ = 0;
  uint64_t bytes_out_ = 0;
  std::shared_ptr<ScopeOwner> works_for_;  // adopted by one step of the handler for the next
};

template <typename Fn>
auto Call::Run(const Fn& work) -> decltype(work()) {
  if (!admission_status_.ok()) return admission_status_;
  if (absl::Status alive = context_.Check(); !alive.ok()) return alive;
  try {
    const RequestScope scope{
        .context = &context_, .notes = &notes_, .caller = caller(), .limits_memory = true};
    const RequestScope::Guard guard(scope.WithStep(works_for_));
    EnsureCrashStack();
    auto result = CatchOutOfMemory(work);
    if (result.ok() && context_.failed()) return context_.Check();
    return result;
  } catch (const std::exception& error) {
    return InternalError("unexpected exception in the daemon: ", error.what());
  }
}

}  // namespace stagedoor::server

#endif  // STAGEDOOR_SERVER_RPC_CALL_H_

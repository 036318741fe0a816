#ifndef STAGEDOOR_SERVER_RPC_CALL_H_
#define STAGEDOOR_SERVER_RPC_CALL_H_

#include <grpcpp/support/status.h>

#include <chrono>
#include <exception>
#include <memory>

#include "absl/status/status.h"
#include "base/current_request.h"
#include "base/memory_guard.h"
#include "base/out_of_memory.h"
#include "base/request_context.h"
#include "base/status.h"
#include "base/work_scope.h"
#include "server/rpc/call_admission.h"

namespace stagedoor::server {

// The part common to unary and streaming calls: admission, the request context with its limits,
// counters.
class Call {
 public:
  Call(CallAdmission& admission, MethodCounters& counters,
       std::chrono::system_clock::time_point deadline);
  ~Call();
  Call(const Call&) = delete;
  Call& operator=(const Call&) = delete;

  CallAdmission& admission() { return admission_; }
  RequestContext& context() { return context_; }
  // Non-OK if the server cannot run another call.
  const absl::Status& admission_status() const { return admission_status_; }

  // Runs `work`, which returns an absl::Status or StatusOr, and returns its result. Returns an
  // error instead if the call was not admitted or has ended, or if `work` exceeded a limit without
  // reporting it. A failed allocation becomes RESOURCE_EXHAUSTED, any other exception INTERNAL,
  // because neither gRPC nor the executor handles exceptions.
  template <typename Fn>
  auto Run(const Fn& work) -> decltype(work());

  // Counts the end of the call and returns the status to send.
  grpc::Status End(const absl::Status& status);

 private:
  CallAdmission& admission_;
  MethodCounters& counters_;
  const std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  const absl::Status admission_status_;
  RequestContext context_;
  std::shared_ptr<WorkScope> works_for_;  // adopted by one step of the handler for the next
};

template <typename Fn>
auto Call::Run(const Fn& work) -> decltype(work()) {
  if (!admission_status_.ok()) return admission_status_;
  if (absl::Status alive = context_.Check(); !alive.ok()) return alive;
  try {
    const RequestMemoryScope memory;
    const WorkScope::StepGuard step(works_for_);
    const CurrentRequest::Guard request(&context_);
    auto result = CatchOutOfMemory(work);
    if (result.ok() && context_.failed()) return context_.Check();
    return result;
  } catch (const std::exception& error) {
    return InternalError("unexpected exception in the daemon: ", error.what());
  }
}

}  // namespace stagedoor::server

#endif  // STAGEDOOR_SERVER_RPC_CALL_H_

#ifndef STAGEDOOR_SERVER_RPC_CALL_H_
#define STAGEDOOR_SERVER_RPC_CALL_H_

#include <grpcpp/support/status.h>

#include <chrono>
#include <exception>
#include <memory>

#include "absl/status/status.h"
#include "base/memory_guard.h"
#include "base/out_of_memory.h"
#include "base/request_context.h"
#include "base/status.h"
#include "base/work_scope.h"
#include "server/rpc/call_runtime.h"

namespace stagedoor {

// What unary and streaming calls share: admission, the request's context with its bounds, counters.
class Call {
 public:
  Call(CallRuntime& runtime, MethodCounters& counters,
       std::chrono::system_clock::time_point deadline);
  ~Call();
  Call(const Call&) = delete;
  Call& operator=(const Call&) = delete;

  CallRuntime& runtime() { return runtime_; }
  RequestContext& context() { return context_; }
  // Not OK: there is no room for this call.
  const absl::Status& admitted() const { return admitted_; }

  // What `work`, a function for an absl::Status or StatusOr, returns, unless the call is refused or
  // over, or what it made is worthless because a bound was reached. A failed allocation in it is
  // RESOURCE_EXHAUSTED, any other exception INTERNAL: neither gRPC nor the executor lets them
  // through.
  template <typename Fn>
  auto Run(const Fn& work) -> decltype(work());

  // Counts the end of the call and returns what to answer.
  grpc::Status End(const absl::Status& status);

 private:
  CallRuntime& runtime_;
  MethodCounters& counters_;
  const std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  const absl::Status admitted_;
  RequestContext context_;
  std::shared_ptr<WorkScope> works_for_;  // what a handler has found out that it works for
};

template <typename Fn>
auto Call::Run(const Fn& work) -> decltype(work()) {
  if (!admitted_.ok()) return admitted_;
  if (absl::Status alive = context_.Check(); !alive.ok()) return alive;
  try {
    const RequestMemoryScope memory;
    const WorkScope::Step step(works_for_);
    auto result = CatchOutOfMemory(work);
    if (result.ok() && context_.failed()) return context_.Check();
    return result;
  } catch (const std::exception& error) {
    return InternalError("an exception in the daemon: ", error.what());
  }
}

}  // namespace stagedoor

#endif  // STAGEDOOR_SERVER_RPC_CALL_H_

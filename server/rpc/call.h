#ifndef STAGEDOOR_SERVER_RPC_CALL_H_
#define STAGEDOOR_SERVER_RPC_CALL_H_

#include <grpcpp/support/status.h>

#include <chrono>
#include <functional>

#include "absl/status/status.h"
#include "base/request_context.h"
#include "server/rpc/call_runtime.h"

namespace stagedoor {

// Fills the response of a unary call.
template <typename Request, typename Response>
using UnaryHandler = std::function<absl::Status(RequestContext&, const Request&, Response*)>;

// What unary and streaming calls share: admission, the request's context, counters.
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

  // Counts the end of the call and returns what to answer.
  grpc::Status End(const absl::Status& status);

 private:
  CallRuntime& runtime_;
  MethodCounters& counters_;
  const std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  const absl::Status admitted_;
  RequestContext context_;
};

}  // namespace stagedoor

#endif  // STAGEDOOR_SERVER_RPC_CALL_H_

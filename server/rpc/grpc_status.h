#ifndef STAGEDOOR_SERVER_RPC_GRPC_STATUS_H_
#define STAGEDOOR_SERVER_RPC_GRPC_STATUS_H_

#include <grpcpp/support/status.h>

#include "absl/status/status.h"

namespace stagedoor::server {

// The wire form of `status`: the same code and message, with its ErrorInfo, invalid fields
// (BadRequest) and retry delay (RetryInfo) as google.rpc.Status details. The only place where the
// server converts an engine status to a grpc::Status.
grpc::Status ToGrpcStatus(const absl::Status& status);

// RESOURCE_EXHAUSTED (BUDGET_EXHAUSTED) for a call that could not be served, or whose status could
// not be sent, for lack of memory. Throws nothing: without memory even for this, the reason is
// missing.
grpc::Status OutOfMemoryStatus();

}  // namespace stagedoor::server

#endif  // STAGEDOOR_SERVER_RPC_GRPC_STATUS_H_

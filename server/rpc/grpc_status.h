#ifndef STAGEDOOR_SERVER_RPC_GRPC_STATUS_H_
#define STAGEDOOR_SERVER_RPC_GRPC_STATUS_H_

#include <grpcpp/support/status.h>

#include "absl/status/status.h"

namespace stagedoor {

// The wire form of a status: same code and message; its ErrorInfo and the advice to try again
// (RetryInfo) as google.rpc.Status details.
// The only place where the server makes a grpc::Status of an engine's status.
grpc::Status ToGrpcStatus(const absl::Status& status);

}  // namespace stagedoor

#endif  // STAGEDOOR_SERVER_RPC_GRPC_STATUS_H_

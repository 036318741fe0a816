#ifndef STAGEDOOR_CLIENT_CC_GRPC_STATUS_H_
#define STAGEDOOR_CLIENT_CC_GRPC_STATUS_H_

#include <grpcpp/support/status.h>

#include "absl/status/status.h"

namespace stagedoor {

// Converts the status of a call. The server's google.rpc.ErrorInfo, if any, becomes a payload, from
// which ErrorReason() reads, as do the EditErrors, for GetEditErrors().
absl::Status FromGrpcStatus(const grpc::Status& status);

}  // namespace stagedoor

#endif  // STAGEDOOR_CLIENT_CC_GRPC_STATUS_H_

#ifndef STAGEDOOR_CLIENT_CC_GRPC_STATUS_H_
#define STAGEDOOR_CLIENT_CC_GRPC_STATUS_H_

#include <grpcpp/support/status.h>

#include "absl/status/status.h"

namespace stagedoor {

// Converts the status of a call. The server's google.rpc.ErrorInfo, if any, becomes a payload, from
// which ErrorReason() reads, as do the EditErrors, for GetEditErrors(). The answer of a proxy and a
// message that is too large (REQUEST_TOO_LARGE) get words of their own instead of gRPC's.
absl::Status FromGrpcStatus(const grpc::Status& status);

}  // namespace stagedoor

#endif  // STAGEDOOR_CLIENT_CC_GRPC_STATUS_H_

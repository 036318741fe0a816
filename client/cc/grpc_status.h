#ifndef STAGEDOOR_CLIENT_CC_GRPC_STATUS_H_
#define STAGEDOOR_CLIENT_CC_GRPC_STATUS_H_

#include <grpcpp/support/status.h>

#include "absl/status/status.h"

namespace stagedoor {

// A call's outcome with the server's ErrorInfo, if any, as payload.
absl::Status FromGrpcStatus(const grpc::Status& status);

}  // namespace stagedoor

#endif  // STAGEDOOR_CLIENT_CC_GRPC_STATUS_H_

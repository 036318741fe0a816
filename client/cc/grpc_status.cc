#include "client/cc/grpc_status.h"

#include "absl/strings/cord.h"
#include "base/status.h"
#include "client/cc/edit_errors.h"
#include "client/cc/error_reason.h"
#include "google/rpc/status.pb.h"

namespace stagedoor {
absl::Status FromGrpcStatus(const grpc::Status& status) {
  if (status.ok()) return absl::OkStatus();
  absl::Status result =
      MakeStatus(static_cast<absl::StatusCode>(status.error_code()), status.error_message());
  google::rpc::Status details;
  if (!details.ParseFromString(status.error_details())) return result;
  for (const google::protobuf::Any& any : details.details()) {
    if (any.type_url() == kErrorInfoUrl) result.SetPayload(kErrorInfoUrl, absl::Cord(any.value()));
    if (any.type_url() == kEditErrorsUrl) {
      result.SetPayload(kEditErrorsUrl, absl::Cord(any.value()));
    }
  }
  return result;
}

}  // namespace stagedoor

#include "client/cc/grpc_status.h"

#include <string>

#include "absl/strings/cord.h"
#include "base/status.h"
#include "client/cc/edit_errors.h"
#include "client/cc/error_details.h"
#include "client/cc/error_reason.h"

namespace stagedoor {

absl::Status FromGrpcStatus(const grpc::Status& status) {
  if (status.ok()) return absl::OkStatus();
  absl::Status result =
      MakeStatus(static_cast<absl::StatusCode>(status.error_code()), status.error_message());
  for (const std::string& info : FindDetails(status.error_details(), kErrorInfoType)) {
    result.SetPayload(kErrorInfoUrl, absl::Cord(info));
  }
  for (const std::string& errors : FindDetails(status.error_details(), kEditErrorsUrl)) {
    result.SetPayload(kEditErrorsUrl, absl::Cord(errors));
  }
  return result;
}

}  // namespace stagedoor

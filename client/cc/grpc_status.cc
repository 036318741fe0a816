#include "client/cc/grpc_status.h"

#include <string>

#include "absl/strings/cord.h"
#include "absl/types/optional.h"
#include "base/status.h"
#include "client/cc/client.h"
#include "google/rpc/error_details.pb.h"
#include "google/rpc/status.pb.h"

namespace stagedoor {
namespace {

constexpr char kErrorInfoUrl[] = "type.googleapis.com/google.rpc.ErrorInfo";

}  // namespace

absl::Status FromGrpcStatus(const grpc::Status& status) {
  if (status.ok()) return absl::OkStatus();
  absl::Status result =
      MakeStatus(static_cast<absl::StatusCode>(status.error_code()), status.error_message());
  google::rpc::Status details;
  if (!details.ParseFromString(status.error_details())) return result;
  for (const google::protobuf::Any& any : details.details()) {
    if (any.type_url() == kErrorInfoUrl) result.SetPayload(kErrorInfoUrl, absl::Cord(any.value()));
  }
  return result;
}

std::string ErrorReason(const absl::Status& status) {
  const absl::optional<absl::Cord> payload = status.GetPayload(kErrorInfoUrl);
  google::rpc::ErrorInfo info;
  if (!payload.has_value() || !info.ParseFromString(std::string(*payload))) return {};
  return info.reason();
}

}  // namespace stagedoor

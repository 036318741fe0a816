#include "client/cc/error_reason.h"

#include <string_view>

#include "absl/strings/cord.h"
#include "absl/types/optional.h"
#include "google/rpc/error_details.pb.h"

namespace stagedoor {
namespace {

// Empty if there is none.
google::rpc::ErrorInfo InfoOf(const absl::Status& status) {
  const absl::optional<absl::Cord> payload = status.GetPayload(kErrorInfoUrl);
  google::rpc::ErrorInfo info;
  if (payload.has_value() && !info.ParseFromString(std::string(*payload))) info.Clear();
  return info;
}

}  // namespace

std::string ErrorReason(const absl::Status& status) { return InfoOf(status).reason(); }

std::map<std::string, std::string> ErrorMetadata(const absl::Status& status) {
  const google::rpc::ErrorInfo info = InfoOf(status);
  return {info.metadata().begin(), info.metadata().end()};
}

std::string ReasonName(v1::ErrorReason reason) {
  constexpr std::string_view kPrefix = "ERROR_REASON_";
  const std::string& name = v1::ErrorReason_Name(reason);
  if (reason == v1::ERROR_REASON_UNSPECIFIED || !name.starts_with(kPrefix)) return {};
  return name.substr(kPrefix.size());
}

absl::Status WithReason(absl::Status status, std::string_view reason, std::string_view path) {
  if (status.ok() || reason.empty()) return status;
  google::rpc::ErrorInfo info;
  info.set_domain("stagedoor.dev");
  info.set_reason(std::string(reason));
  if (!path.empty()) (*info.mutable_metadata())["path"] = std::string(path);
  status.SetPayload(kErrorInfoUrl, absl::Cord(info.SerializeAsString()));
  return status;
}

}  // namespace stagedoor

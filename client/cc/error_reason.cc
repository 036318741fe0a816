#include "client/cc/error_reason.h"

#include <string_view>

#include "absl/strings/cord.h"
#include "absl/types/optional.h"
#include "client/cc/error_details.h"

namespace stagedoor {
namespace {

constexpr char kBrokenStreamUrl[] = "stagedoor/broken-stream";

// Empty if there is none.
ErrorInfo InfoOf(const absl::Status& status) {
  const absl::optional<absl::Cord> payload = status.GetPayload(kErrorInfoUrl);
  return payload.has_value() ? ParseErrorInfo(std::string(*payload)) : ErrorInfo();
}

}  // namespace

bool IsBrokenStream(const absl::Status& status) {
  return status.GetPayload(kBrokenStreamUrl).has_value();
}

absl::Status BrokenStream(absl::Status status) {
  status.SetPayload(kBrokenStreamUrl, absl::Cord());
  return status;
}

std::string ErrorReason(const absl::Status& status) { return InfoOf(status).reason; }

std::map<std::string, std::string> ErrorMetadata(const absl::Status& status) {
  return InfoOf(status).metadata;
}

std::string ReasonName(v1::ErrorReason reason) {
  constexpr std::string_view kPrefix = "ERROR_REASON_";
  const std::string& name = v1::ErrorReason_Name(reason);
  if (reason == v1::ERROR_REASON_UNSPECIFIED || !name.starts_with(kPrefix)) return {};
  return name.substr(kPrefix.size());
}

absl::Status WithReason(absl::Status status, std::string_view reason, std::string_view path) {
  if (status.ok() || reason.empty()) return status;
  ErrorInfo info = {std::string(reason), "stagedoor.dev", {}};
  if (!path.empty()) info.metadata["path"] = std::string(path);
  status.SetPayload(kErrorInfoUrl, absl::Cord(SerializeErrorInfo(info)));
  return status;
}

}  // namespace stagedoor

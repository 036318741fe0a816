#include "server/error_info.h"

#include "absl/strings/cord.h"
#include "absl/types/optional.h"
#include "base/memory_guard.h"
#include "base/status.h"
#include "google/rpc/error_details.pb.h"
#include "server/converters/coerce_to_utf8.h"
#include "stagedoor/v1/types.pb.h"

namespace stagedoor::server {
namespace {

// Bounds the message of one item, since a reply may have many failed items.
constexpr size_t kMaxItemMessageBytes = 2000;

absl::string_view AbslView(std::string_view text) { return {text.data(), text.size()}; }

std::string_view DefaultReason(absl::StatusCode code) {
  switch (code) {
    case absl::StatusCode::kUnimplemented:
      return reason::kUnsupported;
    case absl::StatusCode::kResourceExhausted:
      return reason::kBudgetExhausted;
    case absl::StatusCode::kPermissionDenied:
      return reason::kAssetForbidden;
    case absl::StatusCode::kDataLoss:
      return reason::kLayerCorrupt;
    default:
      return {};
  }
}

}  // namespace

absl::Status WithReason(absl::Status status, std::string_view reason, ErrorMetadata metadata) {
  if (status.ok() || status.GetPayload(AbslView(kErrorInfoUrl)).has_value()) return status;
  const RequestMemoryExemption pause;  // protobuf maps do not survive a failed allocation
  google::rpc::ErrorInfo info;
  info.set_reason(std::string(reason));
  info.set_domain("stagedoor");
  for (const auto& [key, value] : metadata) {
    (*info.mutable_metadata())[CoerceToUtf8(key)] = CoerceToUtf8(value);
  }
  status.SetPayload(AbslView(kErrorInfoUrl), absl::Cord(info.SerializeAsString()));
  return status;
}

absl::Status InvalidFieldError(std::string_view field, std::string_view value,
                               std::string_view why) {
  return WithReason(InvalidArgumentError(field, ": ", why), reason::kInvalidField,
                    {{"field", field}, {"value", value}});
}

std::string GetReason(const absl::Status& status) {
  if (const auto payload = status.GetPayload(AbslView(kErrorInfoUrl)); payload.has_value()) {
    const RequestMemoryExemption pause;  // see WithReason
    google::rpc::ErrorInfo info;
    if (info.ParseFromString(std::string(*payload))) return info.reason();
  }
  return std::string(DefaultReason(status.code()));
}

absl::Status WithLayerReason(const absl::Status& status, std::string_view asset) {
  std::string_view why = DefaultReason(status.code());
  if (status.code() == absl::StatusCode::kNotFound) why = reason::kLayerNotFound;
  if (status.code() == absl::StatusCode::kInvalidArgument) why = reason::kLayerSyntax;
  if (why.empty()) return status;
  return WithReason(status, why, {{"asset", asset}});
}

void FillItemStatus(const absl::Status& status, uint32_t item, v1::ItemStatus* out) {
  out->set_item(item);
  out->set_code(static_cast<int32_t>(status.code()));
  out->set_reason(CoerceToUtf8(GetReason(status)));
  out->set_message(CoerceToUtf8(Message(status).substr(0, kMaxItemMessageBytes)));
}

}  // namespace stagedoor::server

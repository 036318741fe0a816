#include "server/error_info.h"

#include "absl/strings/cord.h"
#include "absl/types/optional.h"
#include "base/request_scope.h"
#include "base/status.h"
#include "base/strings.h"
#include "google/rpc/error_details.pb.h"

namespace stagedoor::server {
namespace {

// Bounds the message of one item, since a reply may have many failed items.
constexpr size_t kMaxItemMessageBytes = 2000;

absl::string_view AbslView(std::string_view text) { return {text.data(), text.size()}; }

constexpr std::string_view kReasonPrefix = "ERROR_REASON_";

v1::ErrorReason DefaultReason(absl::StatusCode code) {
  switch (code) {
    case absl::StatusCode::kUnimplemented:
      return v1::ERROR_REASON_UNSUPPORTED;
    case absl::StatusCode::kResourceExhausted:
      return v1::ERROR_REASON_BUDGET_EXHAUSTED;
    case absl::StatusCode::kPermissionDenied:
      return v1::ERROR_REASON_ASSET_FORBIDDEN;
    case absl::StatusCode::kDataLoss:
      return v1::ERROR_REASON_LAYER_CORRUPT;
    default:
      return v1::ERROR_REASON_UNSPECIFIED;
  }
}

// Reads the payload that WithReason has set. False if there is none.
bool ReadErrorInfo(const absl::Status& status, google::rpc::ErrorInfo* info) {
  const auto payload = status.GetPayload(AbslView(kErrorInfoUrl));
  return payload.has_value() && info->ParseFromString(std::string(*payload));
}

}  // namespace

std::string ReasonName(v1::ErrorReason reason) {
  if (reason == v1::ERROR_REASON_UNSPECIFIED) return {};
  return v1::ErrorReason_Name(reason).substr(kReasonPrefix.size());
}

absl::Status WithReason(absl::Status status, v1::ErrorReason reason, ErrorMetadata metadata) {
  if (status.ok() || status.GetPayload(AbslView(kErrorInfoUrl)).has_value()) return status;
  const RequestMemoryExemption pause;  // protobuf maps do not survive a failed allocation
  google::rpc::ErrorInfo info;
  info.set_reason(ReasonName(reason));
  info.set_domain(std::string(kErrorDomain));
  for (const auto& [key, value] : metadata) {
    (*info.mutable_metadata())[CoerceToUtf8(key)] = CoerceToUtf8(value);
  }
  status.SetPayload(AbslView(kErrorInfoUrl), absl::Cord(info.SerializeAsString()));
  return status;
}

absl::Status InvalidFieldError(std::string_view field, std::string_view value,
                               std::string_view why) {
  return WithFieldViolation(
      WithReason(InvalidArgumentError(field, ": ", why), v1::ERROR_REASON_INVALID_FIELD,
                 {{"field", field}, {"value", value}}),
      field, why);
}

absl::Status WithFieldViolation(absl::Status status, std::string_view field, std::string_view why) {
  google::rpc::BadRequest request;
  google::rpc::BadRequest::FieldViolation* violation = request.add_field_violations();
  violation->set_field(CoerceToUtf8(field));
  violation->set_description(CoerceToUtf8(why));
  status.SetPayload(AbslView(kBadRequestUrl), absl::Cord(request.SerializeAsString()));
  return status;
}

v1::ErrorReason GetReason(const absl::Status& status) {
  const RequestMemoryExemption pause;  // see WithReason
  google::rpc::ErrorInfo info;
  v1::ErrorReason reason;
  if (ReadErrorInfo(status, &info) &&
      v1::ErrorReason_Parse(Concat(kReasonPrefix, info.reason()), &reason)) {
    return reason;
  }
  return DefaultReason(status.code());
}

std::string GetExhaustedBudget(const absl::Status& status) {
  const RequestMemoryExemption pause;  // see WithReason
  google::rpc::ErrorInfo info;
  if (!ReadErrorInfo(status, &info)) return {};
  const auto budget = info.metadata().find("budget");
  return budget == info.metadata().end() ? std::string() : budget->second;
}

absl::Status WithLayerReason(const absl::Status& status, std::string_view asset) {
  v1::ErrorReason why = DefaultReason(status.code());
  if (status.code() == absl::StatusCode::kNotFound) why = v1::ERROR_REASON_LAYER_NOT_FOUND;
  if (status.code() == absl::StatusCode::kInvalidArgument) why = v1::ERROR_REASON_LAYER_SYNTAX;
  if (why == v1::ERROR_REASON_UNSPECIFIED) return status;
  return WithReason(status, why, {{"asset", asset}});
}

void FillWarning(const Warning& warning, v1::Warning* out) {
  static_assert(static_cast<int>(Warning::Kind::kStaleAsset) + 1 == v1::Warning::KIND_STALE_ASSET);
  out->set_kind(static_cast<v1::Warning::Kind>(static_cast<int>(warning.kind) + 1));
  out->set_asset(CoerceToUtf8(warning.asset));
  out->set_path(CoerceToUtf8(warning.path));
  out->set_message(CoerceToUtf8(std::string_view(warning.message).substr(0, kMaxItemMessageBytes)));
}

void FillItemStatus(const absl::Status& status, uint32_t item, v1::ItemStatus* out) {
  out->set_item(item);
  out->set_code(static_cast<int32_t>(status.code()));
  out->set_reason(GetReason(status));
  out->set_message(CoerceToUtf8(Message(status).substr(0, kMaxItemMessageBytes)));
}

}  // namespace stagedoor::server

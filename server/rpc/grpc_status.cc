#include "server/rpc/grpc_status.h"

#include <new>
#include <string>

#include "absl/strings/cord.h"
#include "absl/types/optional.h"
#include "base/request_scope.h"
#include "base/status.h"
#include "base/strings.h"
#include "google/rpc/error_details.pb.h"
#include "google/rpc/status.pb.h"
#include "server/error_info.h"

namespace stagedoor::server {
namespace {

// Trailing metadata must fit into the client's limit (8 KiB) regardless of what a file or request
// contained. It has the message twice: percent-encoded, which takes three bytes for each byte that
// is not printable ASCII, and in the details, which are sent in base64.
constexpr size_t kMaxMessageBytes = 1200;
constexpr size_t kMaxMetadataBytes = 400;  // per value, of which there are few
constexpr size_t kMaxEditErrorsBytes = 3200;

// `text`, truncated and coerced to valid UTF-8, since clients reject details with anything else.
std::string Shortened(std::string_view text, size_t max_bytes) {
  std::string valid = CoerceToUtf8(text.substr(0, max_bytes + 1));
  if (valid.size() <= max_bytes) return valid;
  // Do not truncate in the middle of a character.
  while ((static_cast<unsigned char>(valid[max_bytes]) & 0xC0) == 0x80) --max_bytes;
  return Concat(std::string_view(valid).substr(0, max_bytes), "…");
}

void AddErrorInfo(const absl::Status& status, google::rpc::Status* details) {
  const auto payload =
      status.GetPayload(absl::string_view(kErrorInfoUrl.data(), kErrorInfoUrl.size()));
  google::rpc::ErrorInfo info;
  if (!payload.has_value() || !info.ParseFromString(std::string(*payload))) return;
  if (info.reason().empty()) return;
  for (auto& [key, value] : *info.mutable_metadata()) value = Shortened(value, kMaxMetadataBytes);
  details->add_details()->PackFrom(info);
}

void AddBadRequest(const absl::Status& status, google::rpc::Status* details) {
  const auto payload =
      status.GetPayload(absl::string_view(kBadRequestUrl.data(), kBadRequestUrl.size()));
  google::rpc::BadRequest request;
  if (!payload.has_value() || !request.ParseFromString(std::string(*payload))) return;
  for (auto& violation : *request.mutable_field_violations()) {
    violation.set_field(Shortened(violation.field(), kMaxMetadataBytes));
    violation.set_description(Shortened(violation.description(), kMaxMetadataBytes));
  }
  details->add_details()->PackFrom(request);
}

// The errors of EditStage, which limits their size.
void AddEditErrors(const absl::Status& status, google::rpc::Status* details) {
  const auto payload =
      status.GetPayload(absl::string_view(kEditErrorsUrl.data(), kEditErrorsUrl.size()));
  if (!payload.has_value() || payload->size() > kMaxEditErrorsBytes) return;
  google::protobuf::Any* const any = details->add_details();
  any->set_type_url(std::string(kEditErrorsUrl));
  any->set_value(std::string(*payload));
}

void AddRetryInfo(const absl::Status& status, google::rpc::Status* details) {
  const auto delay = RetryDelay(status);
  if (!delay.has_value()) return;
  google::rpc::RetryInfo info;
  info.mutable_retry_delay()->set_seconds(delay->count() / 1000);
  info.mutable_retry_delay()->set_nanos(static_cast<int32_t>(delay->count() % 1000) * 1000000);
  details->add_details()->PackFrom(info);
}

}  // namespace

grpc::Status ToGrpcStatus(const absl::Status& status) {
  if (status.ok()) return grpc::Status::OK;
  const absl::Status full = WithReason(status, GetReason(status));
  const std::string message = Shortened(Message(full), kMaxMessageBytes);
  google::rpc::Status details;
  details.set_code(static_cast<int>(full.code()));
  details.set_message(message);
  AddErrorInfo(full, &details);
  AddBadRequest(full, &details);
  AddEditErrors(full, &details);
  AddRetryInfo(full, &details);
  return grpc::Status(static_cast<grpc::StatusCode>(full.code()), message,
                      details.SerializeAsString());
}

grpc::Status OutOfMemoryStatus() {
  constexpr const char* kMessage = "out of memory";  // so short that its text allocates nothing
  try {
    const RequestMemoryExemption pause;
    return ToGrpcStatus(WithReason(ResourceExhaustedError(kMessage),
                                   v1::ERROR_REASON_BUDGET_EXHAUSTED, {{"budget", "memory"}}));
  } catch (const std::bad_alloc&) {
    return grpc::Status(grpc::StatusCode::RESOURCE_EXHAUSTED, kMessage);
  }
}

}  // namespace stagedoor::server

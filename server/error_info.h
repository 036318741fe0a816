#ifndef STAGEDOOR_SERVER_ERROR_INFO_H_
#define STAGEDOOR_SERVER_ERROR_INFO_H_

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>

#include "absl/status/status.h"
#include "base/warning.h"
#include "stagedoor/v1/errors.pb.h"

namespace stagedoor::server {

// Details that the API reports about a failure beside its code: a stable reason, and metadata on
// what it concerns. The status carries both as a google.rpc.ErrorInfo payload, which grpc_status.h
// converts to wire details. proto/stagedoor/v1/errors.proto documents the reasons.

// The domain of all reasons.
inline constexpr std::string_view kErrorDomain = "stagedoor.dev";

// The type URLs of the payloads, on the status and on the wire.
inline constexpr std::string_view kErrorInfoUrl = "type.googleapis.com/google.rpc.ErrorInfo";
inline constexpr std::string_view kBadRequestUrl = "type.googleapis.com/google.rpc.BadRequest";
inline constexpr std::string_view kEditErrorsUrl = "type.googleapis.com/stagedoor.v1.EditErrors";

using ErrorMetadata = std::initializer_list<std::pair<std::string_view, std::string_view>>;

// `status` with a reason and metadata; unchanged if it is OK or already has a reason. Metadata is
// coerced to valid UTF-8.
absl::Status WithReason(absl::Status status, v1::ErrorReason reason, ErrorMetadata metadata = {});

// INVALID_ARGUMENT (INVALID_FIELD) with the message "FIELD: WHY". The metadata has the name and the
// value of the request field; a google.rpc.BadRequest payload has the violation.
absl::Status InvalidFieldError(std::string_view field, std::string_view value,
                               std::string_view why);

// `status` with a google.rpc.BadRequest payload that has this violation.
absl::Status WithFieldViolation(absl::Status status, std::string_view field, std::string_view why);

// The reason attached to `status`, or the default reason of its code if the engine attached none.
v1::ErrorReason GetReason(const absl::Status& status);

// The budget that an error with the reason BUDGET_EXHAUSTED names as exhausted. Empty if it names
// none.
std::string GetExhaustedBudget(const absl::Status& status);

// The name of a reason as ErrorInfo has it: without the prefix of the enum. Empty for UNSPECIFIED.
std::string ReasonName(v1::ErrorReason reason);

// Adds the reason for a failure to open a layer, chosen by the code of `status`, and the asset.
absl::Status WithLayerReason(const absl::Status& status, std::string_view asset);

// Fills the wire form of a warning.
void FillWarning(const Warning& warning, v1::Warning* out);

// Fills the wire form of the failure of one item of a request.
void FillItemStatus(const absl::Status& status, uint32_t item, v1::ItemStatus* out);

}  // namespace stagedoor::server

#endif  // STAGEDOOR_SERVER_ERROR_INFO_H_

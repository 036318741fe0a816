#ifndef STAGEDOOR_SERVER_ERROR_INFO_H_
#define STAGEDOOR_SERVER_ERROR_INFO_H_

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>

#include "absl/status/status.h"

namespace stagedoor::v1 {
class ItemStatus;
}  // namespace stagedoor::v1

namespace stagedoor::server {

// What the API reports about a failure beside its code: a stable reason, and metadata on what it
// concerns. The status carries both as a google.rpc.ErrorInfo payload, which grpc_status.h converts
// to wire details. proto/stagedoor/v1/types.proto documents the reasons.
namespace reason {
inline constexpr std::string_view kStageNotFound = "STAGE_NOT_FOUND";
inline constexpr std::string_view kLeaseExpired = "LEASE_EXPIRED";
inline constexpr std::string_view kSnapshotGone = "SNAPSHOT_GONE";
inline constexpr std::string_view kSnapshotConflict = "SNAPSHOT_CONFLICT";
inline constexpr std::string_view kSessionConflict = "SESSION_CONFLICT";
inline constexpr std::string_view kLayerNotFound = "LAYER_NOT_FOUND";
inline constexpr std::string_view kLayerSyntax = "LAYER_SYNTAX";
inline constexpr std::string_view kLayerCorrupt = "LAYER_CORRUPT";
inline constexpr std::string_view kAssetForbidden = "ASSET_FORBIDDEN";
inline constexpr std::string_view kPrimNotFound = "PRIM_NOT_FOUND";
inline constexpr std::string_view kAttributeNotFound = "ATTRIBUTE_NOT_FOUND";
inline constexpr std::string_view kWrongKind = "WRONG_KIND";
inline constexpr std::string_view kInvalidPath = "INVALID_PATH";
inline constexpr std::string_view kInvalidTime = "INVALID_TIME";
inline constexpr std::string_view kInvalidField = "INVALID_FIELD";
inline constexpr std::string_view kUndecodable = "UNDECODABLE";
inline constexpr std::string_view kRequestTooLarge = "REQUEST_TOO_LARGE";
inline constexpr std::string_view kBudgetExhausted = "BUDGET_EXHAUSTED";
inline constexpr std::string_view kUnsupported = "UNSUPPORTED";
}  // namespace reason

// The type URL of the payload, on the status and on the wire.
inline constexpr std::string_view kErrorInfoUrl = "type.googleapis.com/google.rpc.ErrorInfo";

using ErrorMetadata = std::initializer_list<std::pair<std::string_view, std::string_view>>;

// `status` with a reason and metadata; unchanged if it is OK or already has a reason. Metadata is
// coerced to valid UTF-8.
absl::Status WithReason(absl::Status status, std::string_view reason, ErrorMetadata metadata = {});

// INVALID_ARGUMENT (INVALID_FIELD) with the message "FIELD: WHY". The metadata has the name and the
// value of the request field.
absl::Status InvalidFieldError(std::string_view field, std::string_view value,
                               std::string_view why);

// The reason attached to `status`, or the default reason of its code if the engine attached none.
std::string GetReason(const absl::Status& status);

// Adds the reason for a failure to open a layer, chosen by the code of `status`, and the asset.
absl::Status WithLayerReason(const absl::Status& status, std::string_view asset);

// Fills the wire form of the failure of one item of a request.
void FillItemStatus(const absl::Status& status, uint32_t item, v1::ItemStatus* out);

}  // namespace stagedoor::server

#endif  // STAGEDOOR_SERVER_ERROR_INFO_H_

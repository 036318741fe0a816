#ifndef STAGEDOOR_SERVER_ERRORS_H_
#define STAGEDOOR_SERVER_ERRORS_H_

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>

#include "absl/status/status.h"

namespace stagedoor {

namespace v1 {
class ItemStatus;
}  // namespace v1

// What the API tells about a failure beside its code: a stable reason and what it concerns. Both
// ride on the status as a google.rpc.ErrorInfo payload until the edge turns them into wire details.
// The reasons are documented in proto/stagedoor/v1/types.proto.
namespace reason {
inline constexpr std::string_view kStageNotFound = "STAGE_NOT_FOUND";
inline constexpr std::string_view kLeaseExpired = "LEASE_EXPIRED";
inline constexpr std::string_view kSnapshotGone = "SNAPSHOT_GONE";
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

// The type URL of the payload, also its name on the wire.
inline constexpr std::string_view kErrorInfoUrl = "type.googleapis.com/google.rpc.ErrorInfo";

using ErrorMetadata = std::initializer_list<std::pair<std::string_view, std::string_view>>;

// `status` with a reason and metadata, unless it is OK or has a reason already. Whatever bytes the
// metadata have, they are sent as valid UTF-8.
absl::Status WithReason(absl::Status status, std::string_view reason, ErrorMetadata metadata = {});

// INVALID_ARGUMENT (INVALID_FIELD) for a field of a request, which the metadata name with its
// value: "FIELD: why".
absl::Status InvalidField(std::string_view field, std::string_view value, std::string_view why);

// The reason on `status`, or the one that goes with its code where the engine gave none.
std::string ReasonOf(const absl::Status& status);

// For the failure to open a layer: the reason by code, and the asset.
absl::Status WithLayerReason(const absl::Status& status, std::string_view asset);

// The wire form of the failure of one item.
void FillItemStatus(const absl::Status& status, uint32_t item, v1::ItemStatus* out);

}  // namespace stagedoor

#endif  // STAGEDOOR_SERVER_ERRORS_H_

#include "client/sdk/error.h"

#include <algorithm>
#include <iterator>
#include <map>

#include "base/status.h"
#include "client/cc/error_reason.h"

namespace stagedoor::sdk {
namespace {

struct Hint {
  std::string_view reason;
  std::string_view text;
};

constexpr Hint kHints[] = {
    {"STAGE_NOT_FOUND", "open the stage again"},
    {"LEASE_EXPIRED", "open the stage again"},
    {"SNAPSHOT_GONE", "use the stage without a pinned snapshot"},
    {"SNAPSHOT_CONFLICT", "read the stage again, then repeat the edit"},
    {"SESSION_CONFLICT", "use another session name, or the options it was opened with"},
    {"LAYER_NOT_FOUND", "check the path; it is the daemon that opens it"},
    {"ASSET_FORBIDDEN", "ask the operator of the daemon for access to this asset"},
    {"METHOD_FORBIDDEN", "ask the operator of the daemon for a role with this method"},
    {"UNAUTHENTICATED", "set SecurityOptions: a token_file, or a client certificate"},
    {"PRIM_NOT_FOUND", "check the path, the load policy and the population mask"},
    {"ATTRIBUTE_NOT_FOUND", "Prim::GetAttributes lists the attributes of a prim"},
    {"WRONG_KIND", "check the kind of the object: prim, attribute or relationship"},
    {"BUDGET_EXHAUSTED", "try again later"},
    {"REQUEST_TOO_LARGE", "ask for fewer paths or times"},
    {kNoValue, "use Get<std::optional<T>> for attributes that may have no value"},
    {kValueBlocked, "use Get<std::optional<T>> for attributes that may have no value"},
    {kWrongType, "Value::type_name says what the value is"},
};

std::string HintFor(std::string_view reason) {
  const auto* const at = std::find_if(std::begin(kHints), std::end(kHints),
                                      [&](const Hint& hint) { return hint.reason == reason; });
  return at == std::end(kHints) ? std::string() : std::string(at->text);
}

}  // namespace

Error DescribeError(const absl::Status& status) {
  std::map<std::string, std::string> metadata = ErrorMetadata(status);
  Error error;
  error.code = status.code();
  error.reason = ErrorReason(status);
  error.message = std::string(Message(status));
  error.path = metadata["path"];
  error.asset = metadata["asset"].empty() ? metadata["layer"] : metadata["asset"];
  error.hint = HintFor(error.reason);
  return error;
}

bool IsUnreachable(const absl::Status& status) {
  // An error with a reason comes from a daemon.
  return absl::IsUnavailable(status) && ErrorReason(status).empty();
}

bool IsLostLease(const absl::Status& status) {
  if (status.ok()) return false;
  const std::string reason = ErrorReason(status);
  return reason == "STAGE_NOT_FOUND" || reason == "LEASE_EXPIRED";
}

}  // namespace stagedoor::sdk

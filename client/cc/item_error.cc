#include "client/cc/item_error.h"

#include "base/status.h"
#include "client/cc/error_reason.h"

namespace stagedoor {
namespace {

absl::StatusCode CodeOf(const v1::ItemStatus& error) {
  const auto code = static_cast<absl::StatusCode>(error.code());
  return code == absl::StatusCode::kOk ? absl::StatusCode::kUnknown : code;
}

}  // namespace

absl::Status ItemError(const v1::ItemStatus& error) {
  return WithReason(MakeStatus(CodeOf(error), error.message()), ReasonName(error.reason()), "");
}

absl::Status ItemErrorAt(std::string_view path, const v1::ItemStatus& error) {
  return WithReason(MakeStatus(CodeOf(error), Concat(path, ": ", error.message())),
                    ReasonName(error.reason()), path);
}

absl::Status UnknownStateError(v1::ItemState state) {
  return UnimplementedError("the daemon answered with the item state ", static_cast<int>(state),
                            ", which this client does not know; update the client");
}

}  // namespace stagedoor

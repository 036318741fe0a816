#include "client/cc/item_error.h"

#include "base/status.h"

namespace stagedoor {
namespace {

absl::StatusCode CodeOf(const v1::ItemStatus& error) {
  const auto code = static_cast<absl::StatusCode>(error.code());
  return code == absl::StatusCode::kOk ? absl::StatusCode::kUnknown : code;
}

}  // namespace

absl::Status ItemError(const v1::ItemStatus& error) {
  return MakeStatus(CodeOf(error), error.message());
}

absl::Status ItemErrorAt(std::string_view path, const v1::ItemStatus& error) {
  return MakeStatus(CodeOf(error), Concat(path, ": ", error.message()));
}

absl::Status UnknownStateError(v1::ItemState state) {
  return UnimplementedError("the daemon answered with the item state ", static_cast<int>(state),
                            ", which this client does not know; update the client");
}

}  // namespace stagedoor

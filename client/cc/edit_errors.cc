#include "client/cc/edit_errors.h"

#include <string>

#include "absl/strings/cord.h"

namespace stagedoor {

std::optional<v1::EditErrors> GetEditErrors(const absl::Status& status) {
  const auto payload = status.GetPayload(kEditErrorsUrl);
  v1::EditErrors errors;
  if (!payload.has_value() || !errors.ParseFromString(std::string(*payload))) return std::nullopt;
  return errors;
}

}  // namespace stagedoor

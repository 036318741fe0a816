#include "scene/edit/edit_error.h"

#include <string>

#include "absl/strings/cord.h"
#include "base/status.h"

namespace stagedoor {
namespace {

constexpr char kUrl[] = "stagedoor/edit-error";

}  // namespace

absl::Status MakeEditError(EditErrorKind kind, std::string_view message) {
  const bool missing =
      kind == EditErrorKind::kPrimNotFound || kind == EditErrorKind::kAttributeNotFound;
  absl::Status status = MakeStatus(
      missing ? absl::StatusCode::kNotFound : absl::StatusCode::kInvalidArgument, message);
  const char code = static_cast<char>(kind);
  status.SetPayload(kUrl, absl::Cord(std::string(1, code)));
  return status;
}

std::optional<EditErrorKind> GetEditErrorKind(const absl::Status& status) {
  const auto payload = status.GetPayload(kUrl);
  if (!payload.has_value() || payload->size() != 1) return std::nullopt;
  return static_cast<EditErrorKind>(std::string(*payload)[0]);
}

}  // namespace stagedoor

#include "base/status.h"

#include "absl/strings/cord.h"

namespace stagedoor {

absl::Status MakeStatus(absl::StatusCode code, std::string_view message) {
  return absl::Status(code, absl::string_view(message.data(), message.size()));
}

std::string_view Message(const absl::Status& status) {
  const absl::string_view message = status.message();
  return std::string_view(message.data(), message.size());
}

absl::Status Annotate(const absl::Status& status, std::string_view context) {
  if (status.ok()) return status;
  absl::Status out = MakeStatus(status.code(), Concat(context, ": ", Message(status)));
  status.ForEachPayload(
      [&out](absl::string_view type, const absl::Cord& payload) { out.SetPayload(type, payload); });
  return out;
}

}  // namespace stagedoor

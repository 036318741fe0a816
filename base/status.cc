#include "base/status.h"

#include <cstdint>

#include "absl/strings/cord.h"

namespace stagedoor {
namespace {

// The payload is the number of milliseconds as text.
constexpr char kRetryDelayPayload[] = "stagedoor/retry-delay";

}  // namespace

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

absl::Status WithRetryDelay(absl::Status status, std::chrono::milliseconds delay) {
  if (!status.ok()) status.SetPayload(kRetryDelayPayload, absl::Cord(Concat(delay.count())));
  return status;
}

std::optional<std::chrono::milliseconds> RetryDelay(const absl::Status& status) {
  const auto payload = status.GetPayload(kRetryDelayPayload);
  if (!payload.has_value()) return std::nullopt;
  return std::chrono::milliseconds(ParseNumber<int64_t>(std::string(*payload)).value_or(0));
}

}  // namespace stagedoor

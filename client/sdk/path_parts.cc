#include "client/sdk/path_parts.h"

#include <algorithm>

#include "base/status.h"
#include "client/cc/error_reason.h"
#include "client/sdk/values_call.h"

namespace stagedoor::sdk {
namespace {

constexpr size_t kBytesBesideText = 8;  // of a path in a message

// The last part first. Without paths, one part without any.
std::vector<PathParts::Paths> Split(PathParts::Paths paths) {
  std::vector<PathParts::Paths> parts;
  size_t begin = 0;
  size_t bytes = 0;
  for (size_t i = 0; i < paths.size(); ++i) {
    const size_t more = paths[i].size() + kBytesBesideText;
    if (i > begin && bytes + more > PathParts::kMaxBytes) {
      parts.push_back(paths.subspan(begin, i - begin));
      begin = i;
      bytes = 0;
    }
    bytes += more;
  }
  parts.push_back(paths.subspan(begin));
  std::reverse(parts.begin(), parts.end());
  return parts;
}

}  // namespace

PathParts::PathParts(Paths paths, std::string pin)
    : paths_(paths), given_pin_(std::move(pin)), pin_(given_pin_), left_(Split(paths)) {}

absl::StatusOr<PathParts::Then> PathParts::Take(const absl::Status& status,
                                                const std::string& snapshot) {
  const Paths part = left_.back();
  if (IsTooLarge(status) && part.size() > 1) {
    left_.back() = part.subspan(part.size() / 2);
    left_.push_back(part.first(part.size() / 2));
    return Then::kSplit;
  }
  const bool is_first = part.data() == paths_.data();
  if (!status.ok()) {
    const bool gone = ErrorReason(status) == "SNAPSHOT_GONE" && pin_ != given_pin_;
    return gone ? BeginAgain() : status;
  }
  if (!is_first && snapshot != pin_) return BeginAgain();
  left_.pop_back();
  if (pin_.empty()) pin_ = snapshot;
  return Then::kGoOn;
}

absl::StatusOr<PathParts::Then> PathParts::BeginAgain() {
  if (repeats_left_-- == 0) {
    return AbortedError(
        "the stage changed between the parts of a query, each time that it was repeated; ask for "
        "fewer paths at a time");
  }
  pin_ = given_pin_;
  left_ = Split(paths_);
  return Then::kBeginAgain;
}

}  // namespace stagedoor::sdk

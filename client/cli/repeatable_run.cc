#include "client/cli/repeatable_run.h"

#include <string>

#include "client/cc/error_reason.h"

namespace stagedoor {
namespace {

constexpr int kMaxRepetitions = 3;

// Whether a daemon was lost between two calls of a command, or while one was answered.
bool LostItsDaemon(const absl::Status& status) {
  const std::string reason = ErrorReason(status);
  return reason == "STAGE_NOT_FOUND" || reason == "LEASE_EXPIRED" || IsBrokenStream(status);
}

}  // namespace

absl::Status RunRepeatably(Output& output, const std::function<absl::Status()>& run) {
  absl::Status status = run();
  for (int left = kMaxRepetitions; LostItsDaemon(status) && !output.started() && left > 0; --left) {
    output.Discard();
    status = run();
  }
  return status;
}

}  // namespace stagedoor

#include "client/cli/exit_status.h"

#include <string>

#include "client/cc/client.h"
#include "client/cli/command_line.h"

namespace stagedoor {

ExitStatus ToExitStatus(const absl::Status& status) {
  if (status.ok()) return kExitOk;
  if (IsUsageError(status)) return kExitUsage;
  const std::string reason = ErrorReason(status);
  switch (status.code()) {
    case absl::StatusCode::kUnavailable:
      // An error with a reason comes from a daemon, so there is one.
      return reason.empty() ? kExitNoDaemon : kExitFailure;
    case absl::StatusCode::kNotFound:
      return kExitNotFound;
    case absl::StatusCode::kDataLoss:
      return kExitBrokenFile;
    case absl::StatusCode::kInvalidArgument:
      return reason.compare(0, 6, "LAYER_") == 0 ? kExitBrokenFile : kExitUsage;
    case absl::StatusCode::kDeadlineExceeded:
      return kExitDeadline;
    default:
      return kExitFailure;
  }
}

}  // namespace stagedoor

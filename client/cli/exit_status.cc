#include "client/cli/exit_status.h"

#include <string>

#include "absl/strings/cord.h"
#include "base/status.h"
#include "client/cc/client.h"
#include "client/cli/command_line.h"

namespace stagedoor {
namespace {

constexpr char kDiffersUrl[] = "stagedoor/differs";

}  // namespace

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

absl::Status IncompleteError(std::string_view what, Output& output) {
  return FailedPreconditionError(what, " is incomplete: ", output.problems().Text());
}

absl::Status DiffersStatus() {
  absl::Status status = FailedPreconditionError("the sides differ");
  status.SetPayload(kDiffersUrl, absl::Cord());
  return status;
}

bool IsDifference(const absl::Status& status) { return status.GetPayload(kDiffersUrl).has_value(); }

int ToDiffExitStatus(const absl::Status& status) {
  if (status.ok()) return 0;
  return IsDifference(status) ? 1 : 2;
}

}  // namespace stagedoor

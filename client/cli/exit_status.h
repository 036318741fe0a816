#ifndef STAGEDOOR_CLIENT_CLI_EXIT_STATUS_H_
#define STAGEDOOR_CLIENT_CLI_EXIT_STATUS_H_

#include <string_view>

#include "absl/status/status.h"
#include "client/cli/output.h"

namespace stagedoor {

// The exit statuses of the command, as documented in docs/cli.md.
enum ExitStatus {
  kExitOk = 0,
  kExitFailure = 1,     // any other failure
  kExitUsage = 2,       // the command line, or a path in it, is wrong
  kExitNoDaemon = 3,    // no daemon answers
  kExitNotFound = 4,    // a layer, prim or attribute does not exist
  kExitBrokenFile = 5,  // a layer cannot be read or has errors
  kExitDeadline = 6,    // --timeout expired
};

// Maps the status of a command to its exit status.
ExitStatus ToExitStatus(const absl::Status& status);

// The status of a command that must end with kExitFailure because it has reported problems:
// "stage 'shot.usda' is incomplete: 2 errors".
absl::Status IncompleteError(std::string_view what, Output& output);

// The status of `diff` if it has found differences, which is not an error and not reported.
absl::Status DiffersStatus();
bool IsDifference(const absl::Status& status);
// The exit status of `diff`: 0 if there are no differences, 1 if there are, 2 for any error.
int ToDiffExitStatus(const absl::Status& status);

}  // namespace stagedoor

#endif  // STAGEDOOR_CLIENT_CLI_EXIT_STATUS_H_

#ifndef STAGEDOOR_CLIENT_CLI_EXIT_STATUS_H_
#define STAGEDOOR_CLIENT_CLI_EXIT_STATUS_H_

#include "absl/status/status.h"

namespace stagedoor {

// The exit statuses of the command; docs/cli.md explains them.
enum ExitStatus {
  kExitOk = 0,
  kExitFailure = 1,     // what none of the others says
  kExitUsage = 2,       // the command line, or a path in it, is wrong
  kExitNoDaemon = 3,    // nothing answers
  kExitNotFound = 4,    // a layer, prim or attribute is not there
  kExitBrokenFile = 5,  // a layer cannot be read or has errors
  kExitDeadline = 6,    // --timeout was over
};

ExitStatus ToExitStatus(const absl::Status& status);

}  // namespace stagedoor

#endif  // STAGEDOOR_CLIENT_CLI_EXIT_STATUS_H_

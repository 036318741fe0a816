#ifndef STAGEDOOR_CLIENT_CLI_HEALTH_COMMAND_H_
#define STAGEDOOR_CLIENT_CLI_HEALTH_COMMAND_H_

#include "absl/status/status.h"
#include "client/cli/command_line.h"
#include "client/cli/output.h"

namespace stagedoor {

// `stagedoor health [SERVICE]`: prints "serving", or fails; see CheckHealth(). Meant as the health
// check of containers, so it does not retry, starts no private daemon, and waits for 5 seconds if
// there is no --timeout.
absl::Status RunHealth(const CommandLine& line, Output& output);

}  // namespace stagedoor

#endif  // STAGEDOOR_CLIENT_CLI_HEALTH_COMMAND_H_

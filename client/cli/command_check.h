#ifndef STAGEDOOR_CLIENT_CLI_COMMAND_CHECK_H_
#define STAGEDOOR_CLIENT_CLI_COMMAND_CHECK_H_

#include <string_view>

#include "absl/status/status.h"
#include "client/cli/command_line.h"

namespace stagedoor {

// Returns OK if the command exists and takes this number of arguments and each of the flags,
// otherwise a usage error with a suggestion.
absl::Status CheckCommandLine(const CommandLine& line);

// The usage error for an unknown command.
absl::Status UnknownCommandError(std::string_view name);

}  // namespace stagedoor

#endif  // STAGEDOOR_CLIENT_CLI_COMMAND_CHECK_H_

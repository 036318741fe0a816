#ifndef STAGEDOOR_SERVER_DAEMON_FLAG_PARSER_H_
#define STAGEDOOR_SERVER_DAEMON_FLAG_PARSER_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "server/daemon_flags.h"

namespace stagedoor::server {

// INVALID_ARGUMENT, with the flag, the value and what is allowed. Also checks the files and
// directories that flags name: a missing one, or a directory where a file is expected, is an error.
absl::StatusOr<DaemonFlags> ParseDaemonFlags(const std::vector<std::string>& args);

// The text of --help: every flag with its unit and default.
std::string DaemonFlagsHelp();

}  // namespace stagedoor::server

#endif  // STAGEDOOR_SERVER_DAEMON_FLAG_PARSER_H_

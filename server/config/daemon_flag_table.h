#ifndef STAGEDOOR_SERVER_CONFIG_DAEMON_FLAG_TABLE_H_
#define STAGEDOOR_SERVER_CONFIG_DAEMON_FLAG_TABLE_H_

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "server/config/daemon_flags.h"
#include "server/config/flag.h"

namespace stagedoor::server {

// All flags of stagedoord that have a value, in the order of the help. Each is also a key of the
// configuration file and an environment variable. Setting one checks the file or directory it
// names: a missing one, or a directory where a file is expected, is an error.
std::vector<Flag> DaemonFlagTable();

// Rules that involve several flags. INVALID_ARGUMENT.
absl::Status CheckFlagsTogether(const DaemonFlags& flags);

// The text of --help: every flag with its unit and default.
std::string DaemonFlagsHelp();

}  // namespace stagedoor::server

#endif  // STAGEDOOR_SERVER_CONFIG_DAEMON_FLAG_TABLE_H_

#ifndef STAGEDOOR_SERVER_CONFIG_DAEMON_CONFIG_H_
#define STAGEDOOR_SERVER_CONFIG_DAEMON_CONFIG_H_

#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "server/config/config_node.h"
#include "server/config/daemon_flags.h"
#include "server/config/environment.h"
#include "server/config/flag_setting.h"

namespace stagedoor::server {

// The configuration of a daemon, and where it comes from.
struct DaemonConfig {
  DaemonFlags flags;
  FlagSettings settings;  // what was given for each flag; no entry where the default applies
  std::optional<ConfigNode> access_section;  // what flags.server.access was read from
};

// The settings of the configuration file, over which those of the environment take precedence, and
// over these the command line `args`. A list of a stronger source replaces that of a weaker one.
//
// INVALID_ARGUMENT with the place, the value and what is allowed; all errors of the file and the
// environment together, one a line. With --help or --version, only the command line is read.
absl::StatusOr<DaemonConfig> ReadDaemonConfig(const std::vector<std::string>& args,
                                              const Environment& environment);

// Checks what can be checked without starting a daemon and is not part of reading the
// configuration: the schema plug-ins, including `schema_paths` of the environment, and the files
// for the session store.
absl::Status CheckDaemonConfig(const DaemonConfig& config,
                               const std::vector<std::string>& schema_paths);

}  // namespace stagedoor::server

#endif  // STAGEDOOR_SERVER_CONFIG_DAEMON_CONFIG_H_

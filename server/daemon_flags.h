#ifndef STAGEDOOR_SERVER_DAEMON_FLAGS_H_
#define STAGEDOOR_SERVER_DAEMON_FLAGS_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "server/lifecycle/drain_state_machine.h"
#include "server/server_options.h"

namespace stagedoor {

// The parsed command line of stagedoord.
struct DaemonFlags {
  ServerOptions server;
  std::string address_file;  // receives the chosen addresses, one per line; not written if empty
  std::string log_level = "info";
  std::string log_file;  // standard error if empty
  DrainTimeouts drain;
  bool help = false;
  bool version = false;
};

// INVALID_ARGUMENT, with the flag, the value and what is allowed. Also checks the files and
// directories that flags name: a missing one, or a directory where a file is expected, is an error.
absl::StatusOr<DaemonFlags> ParseDaemonFlags(const std::vector<std::string>& args);

// The text of --help: every flag with its unit and default.
std::string DaemonFlagsHelp();

}  // namespace stagedoor

#endif  // STAGEDOOR_SERVER_DAEMON_FLAGS_H_

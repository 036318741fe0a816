#ifndef STAGEDOOR_SERVER_FLAGS_H_
#define STAGEDOOR_SERVER_FLAGS_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "server/lifecycle/drain_steps.h"
#include "server/server_options.h"

namespace stagedoor {

// What the command line of stagedoord says.
struct DaemonFlags {
  ServerOptions server;
  std::string address_file;  // where the chosen addresses are written, one a line; empty: nowhere
  std::string log_level = "info";
  std::string log_file;  // empty: standard error
  DrainTimes drain;
  bool help = false;
  bool version = false;
};

// INVALID_ARGUMENT names the flag, the value and what is allowed. Looks at the files and folders
// that flags name too: one that is missing, or a folder where a file is wanted, is an error here.
absl::StatusOr<DaemonFlags> ParseFlags(const std::vector<std::string>& words);

// What --help prints: every flag with unit and default.
std::string FlagsHelp();

}  // namespace stagedoor

#endif  // STAGEDOOR_SERVER_FLAGS_H_

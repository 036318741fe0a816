#ifndef STAGEDOOR_SERVER_CONFIG_COMMAND_LINE_H_
#define STAGEDOOR_SERVER_CONFIG_COMMAND_LINE_H_

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "server/config/flag.h"
#include "server/config/flag_setting.h"

namespace stagedoor::server {

// The command line of stagedoord, before its values are checked.
struct CommandLine {
  FlagSettings settings;
  std::string config_file;  // --config; empty if not given
  bool check_config = false;
  bool print_config = false;
  bool help = false;
  bool version = false;
};

// INVALID_ARGUMENT for unknown flags, with the one that was probably meant, for missing values, for
// arguments that are not flags, and for flags that are given twice but are not repeatable.
absl::StatusOr<CommandLine> ParseCommandLine(const std::vector<std::string>& args,
                                             const std::vector<Flag>& table);

// Whether `name` is a flag of the command line that is not in the table, such as "config".
bool IsCommandLineOnly(std::string_view name);

}  // namespace stagedoor::server

#endif  // STAGEDOOR_SERVER_CONFIG_COMMAND_LINE_H_

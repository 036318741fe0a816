#ifndef STAGEDOOR_CLIENT_CLI_COMMAND_TABLE_H_
#define STAGEDOOR_CLIENT_CLI_COMMAND_TABLE_H_

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"

namespace stagedoor {

class CommandLine;

// A flag of one or more commands. A name means the same for all of them.
struct OptionSpec {
  std::string_view name;
  std::string_view value;  // placeholder for the value in the help; empty if the flag takes none
  std::string_view help;
};

// A command of docs/cli.md and what it takes, for parsing, error messages and help.
struct CommandSpec {
  std::string_view name;
  std::string_view arguments;  // "ROOT PATH.attr"
  std::string_view summary;
  size_t least, most;                     // number of arguments
  std::vector<std::string_view> options;  // flags, besides those of all commands
};

std::span<const CommandSpec> AllCommands();
const CommandSpec* FindCommand(std::string_view name);  // null if unknown
std::span<const OptionSpec> AllOptions();
const OptionSpec* FindOption(std::string_view name);  // null if unknown

// Returns OK if the command exists and takes this number of arguments and each of the flags,
// otherwise a usage error with a suggestion.
absl::Status CheckCommandLine(const CommandLine& line);

// The texts that `stagedoor help` and `stagedoor help COMMAND` print.
std::string HelpOverview();
std::string CommandHelp(const CommandSpec& command);

// The usage error for an unknown command.
absl::Status UnknownCommandError(std::string_view name);

}  // namespace stagedoor

#endif  // STAGEDOOR_CLIENT_CLI_COMMAND_TABLE_H_

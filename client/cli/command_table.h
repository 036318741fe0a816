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

// An option that some commands have. The same name means the same everywhere.
struct OptionSpec {
  std::string_view name;
  std::string_view value;  // what stands for the value in the help; empty: it has none
  std::string_view help;
};

// A command of docs/cli.md: what it is called with, for parsing, errors and help.
struct CommandSpec {
  std::string_view name;
  std::string_view arguments;  // "ROOT PATH.attr"
  std::string_view summary;
  size_t least, most;                     // arguments
  std::vector<std::string_view> options;  // beside those of all commands
};

std::span<const CommandSpec> AllCommands();
const CommandSpec* FindCommand(std::string_view name);  // null: unknown
std::span<const OptionSpec> AllOptions();
const OptionSpec* FindOption(std::string_view name);  // null: unknown

// A usage error, with a suggestion, unless the command is known, has as many arguments and takes
// each of the options.
absl::Status CheckCommandLine(const CommandLine& line);

// What `stagedoor help` and `stagedoor help COMMAND` print.
std::string HelpOverview();
std::string CommandHelp(const CommandSpec& command);

// The usage error for a command that is unknown.
absl::Status UnknownCommandError(std::string_view name);

}  // namespace stagedoor

#endif  // STAGEDOOR_CLIENT_CLI_COMMAND_TABLE_H_

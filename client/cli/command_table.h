#ifndef STAGEDOOR_CLIENT_CLI_COMMAND_TABLE_H_
#define STAGEDOOR_CLIENT_CLI_COMMAND_TABLE_H_

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace stagedoor {

// A flag of one or more commands. A name means the same for all of them.
struct OptionSpec {
  std::string_view name;
  std::string_view value;  // placeholder for the value in the help; empty if the flag takes none
  std::string_view help;
  std::string_view letter = {};  // "o" for -o; empty if there is none
  // Whether the word after a value is a further value of the flag, as in --mask /A /B. May be null.
  bool (*takes_more)(std::string_view word) = nullptr;
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
// Whether the flag is one of the command or of all commands.
bool TakesOption(const CommandSpec& command, std::string_view name);

// The texts that `stagedoor help` and `stagedoor help COMMAND` print.
std::string HelpOverview();
std::string CommandHelp(const CommandSpec& command);

}  // namespace stagedoor

#endif  // STAGEDOOR_CLIENT_CLI_COMMAND_TABLE_H_

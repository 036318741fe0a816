#include "client/cli/command_check.h"

#include <string>
#include <vector>

#include "base/closest_match.h"
#include "base/status.h"
#include "client/cli/command_table.h"

namespace stagedoor {

namespace {

absl::Status Inapplicable(const CommandSpec& command, const std::string& name) {
  std::vector<std::string> known;
  for (const std::string_view option : command.options) known.emplace_back(option);
  const std::string closest = ClosestMatch(name, known);
  return UsageError(Concat(command.name, " has no flag --", name,
                           closest.empty() ? "" : Concat("; did you mean --", closest, "?"),
                           " (see stagedoor help ", command.name, ")"));
}

}  // namespace

absl::Status UnknownCommandError(std::string_view name) {
  std::vector<std::string> known = {"help"};
  for (const CommandSpec& command : AllCommands()) known.emplace_back(command.name);
  const std::string closest = ClosestMatch(name, known);
  return UsageError(Concat("unknown command ", Quoted(name),
                           closest.empty() ? "" : Concat("; did you mean ", closest, "?"),
                           " (see stagedoor help)"));
}

absl::Status CheckCommandLine(const CommandLine& line) {
  const CommandSpec* command = FindCommand(line.command());
  if (command == nullptr) return UnknownCommandError(line.command());
  for (const std::string& name : line.OptionNames()) {
    if (!TakesOption(*command, name)) return Inapplicable(*command, name);
  }
  const size_t count = line.arguments().size();
  if (count >= command->least && count <= command->most) return absl::OkStatus();
  const std::string takes = command->most == 0 ? "takes no arguments"
                            : count < command->least
                                ? Concat("needs ", command->arguments)
                                : Concat("takes ", command->arguments, " only");
  return UsageError(Concat(command->name, " ", takes, " (see stagedoor help ", command->name, ")"));
}

}  // namespace stagedoor

#ifndef STAGEDOOR_CLIENT_CLI_COMMAND_LINE_H_
#define STAGEDOOR_CLIENT_CLI_COMMAND_LINE_H_

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"

namespace stagedoor {

// The args of a command line: command, positional arguments and options. Options stand anywhere,
// as "--name value" or "--name=value"; flags have no value. After "--" no word is an option. What
// options there are is declared in command_table.h; whether they suit the command is checked there.
class CommandLine {
 public:
  // INVALID_ARGUMENT (a usage error) for unknown options, missing values and flags with a value.
  static absl::StatusOr<CommandLine> Parse(const std::vector<std::string>& args);

  // The first word that is no option; empty where there is none.
  const std::string& command() const { return command_; }
  const std::vector<std::string>& arguments() const { return arguments_; }

  bool Flag(std::string_view name) const { return options_.count(name) != 0; }
  // The last value given.
  std::optional<std::string> Option(std::string_view name) const;
  // All values given, in order.
  std::vector<std::string> Options(std::string_view name) const;
  // INVALID_ARGUMENT for what is no number.
  absl::StatusOr<std::optional<double>> NumberOption(std::string_view name) const;
  // INVALID_ARGUMENT for what is no whole number from 0 to `most`.
  absl::StatusOr<std::optional<uint32_t>> CountOption(std::string_view name, uint32_t most) const;
  // Of all options that are given.
  std::vector<std::string> OptionNames() const;

 private:
  std::string command_;
  std::vector<std::string> arguments_;
  std::map<std::string, std::vector<std::string>, std::less<>> options_;
};

// INVALID_ARGUMENT that means "wrong command line" (exit status 2), not a failed request.
absl::Status UsageError(std::string_view message);
bool IsUsageError(const absl::Status& status);

// A number as in the command line: decimal, "inf", "-inf".
std::optional<double> ParseNumber(std::string_view text);

// File names are the daemon's to resolve, but relative ones are relative to where the command runs.
// Identifiers with a scheme ("https://…") stay as they are.
std::string AbsoluteIdentifier(std::string_view name);

}  // namespace stagedoor

#endif  // STAGEDOOR_CLIENT_CLI_COMMAND_LINE_H_

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

// A parsed command line: the command, its positional arguments and its flags. Flags may appear
// anywhere, as "--name value" or "--name=value"; some take no value. After "--" nothing is a flag.
// command_table.h declares the flags and checks whether a command takes them. Immutable after
// Parse().
class CommandLine {
 public:
  // INVALID_ARGUMENT (a usage error) for unknown flags, missing values, and values given to flags
  // that take none.
  static absl::StatusOr<CommandLine> Parse(const std::vector<std::string>& args);

  // The first argument that is not a flag; empty if there is none.
  const std::string& command() const { return command_; }
  // The arguments after the command.
  const std::vector<std::string>& arguments() const { return arguments_; }

  // Whether the flag was given.
  bool Flag(std::string_view name) const { return options_.count(name) != 0; }
  // The last value given for the flag.
  std::optional<std::string> Option(std::string_view name) const;
  // All values given for the flag, in order.
  std::vector<std::string> Options(std::string_view name) const;
  // The flag's value as a number; a usage error if it is not one.
  absl::StatusOr<std::optional<double>> NumberOption(std::string_view name) const;
  // The flag's value as a whole number from 0 to `most`.
  absl::StatusOr<std::optional<uint32_t>> CountOption(std::string_view name, uint32_t most) const;
  // The names of all flags that were given.
  std::vector<std::string> OptionNames() const;

 private:
  std::string command_;
  std::vector<std::string> arguments_;
  std::map<std::string, std::vector<std::string>, std::less<>> options_;
};

// An INVALID_ARGUMENT error that means "wrong command line" (exit status 2), not a failed request.
absl::Status UsageError(std::string_view message);
bool IsUsageError(const absl::Status& status);

// Makes a relative file name absolute, because the daemon, which resolves it, runs in another
// directory. Identifiers with a scheme ("https://…") and absolute paths of Windows ("Z:/…"), which
// the daemon may map, are returned unchanged.
std::string AbsoluteIdentifier(std::string_view name);

}  // namespace stagedoor

#endif  // STAGEDOOR_CLIENT_CLI_COMMAND_LINE_H_

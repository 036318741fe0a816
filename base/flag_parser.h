#ifndef STAGEDOOR_BASE_FLAG_PARSER_H_
#define STAGEDOOR_BASE_FLAG_PARSER_H_

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"

namespace stagedoor {

// Splits the args of a command line into flags and arguments. Shared by the daemon, the command
// and the benchmark drivers, which interpret the values. Thread-safe, no global state.

// A flag that a program accepts.
struct FlagSpec {
  std::string name;         // "depth" for --depth
  std::string value;        // placeholder of the value in messages and help; empty for a switch
  std::string letter = {};  // "o" for -o; empty if there is none
  // Whether the word after a value is a further value of the flag. May be null, in which case there
  // is one value.
  bool (*takes_more)(std::string_view word) = nullptr;
};

// A flag as given on the command line. The value of a switch is empty.
struct ParsedFlag {
  std::string name;
  std::string value;
  friend bool operator==(const ParsedFlag&, const ParsedFlag&) = default;
};

struct ParsedArgs {
  std::vector<ParsedFlag> flags;  // in the order given
  std::vector<std::string> arguments;
};

// Parses `args`. Flags may be anywhere, as "--name value" or "--name=value". After "--" every word
// is an argument, and so is "-". The value of a flag may begin with one dash, but with two dashes
// only after "=".
//
// INVALID_ARGUMENT for an unknown flag (with the flag that was probably meant: one of `likely`, if
// one of these is similar), a missing value, and a switch with a value. `help` is the command that
// shows the help: "stagedoord --help".
absl::StatusOr<ParsedArgs> ParseArgs(const std::vector<std::string>& args,
                                     std::span<const FlagSpec> known, std::string_view help,
                                     const std::vector<std::string>& likely = {});

}  // namespace stagedoor

#endif  // STAGEDOOR_BASE_FLAG_PARSER_H_

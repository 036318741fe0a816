// Splits the words of a command line into flags and arguments. The daemon, the command and the
// benchmark drivers share it; what values mean is up to them.
#ifndef STAGEDOOR_BASE_FLAG_PARSER_H_
#define STAGEDOOR_BASE_FLAG_PARSER_H_

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"

namespace stagedoor {

// A flag that a program knows.
struct FlagSpec {
  std::string name;         // "depth" for --depth
  std::string value;        // stands for the value in messages and help; empty for a switch
  std::string letter = {};  // "o" for -o; empty if there is none
  // Whether a word that follows the value is one more value of the flag; null if none is.
  bool (*takes_more)(std::string_view word) = nullptr;
};

// A flag as it was given. The value of a switch is empty.
struct GivenFlag {
  std::string name;
  std::string value;
  friend bool operator==(const GivenFlag&, const GivenFlag&) = default;
};

struct ParsedWords {
  std::vector<GivenFlag> flags;  // in the order given
  std::vector<std::string> arguments;
};

// Flags may stand anywhere, as "--name value" or "--name=value"; after "--" every word is an
// argument, and so is "-". The value of a flag may begin with one dash, but with two only after
// "=".
//
// INVALID_ARGUMENT for an unknown flag, with the flag that was probably meant, a missing value, and
// a switch with a value. `help` is how the program is asked for help: "stagedoord --help".
absl::StatusOr<ParsedWords> ParseWords(const std::vector<std::string>& words,
                                       std::span<const FlagSpec> known, std::string_view help);

}  // namespace stagedoor

#endif  // STAGEDOOR_BASE_FLAG_PARSER_H_

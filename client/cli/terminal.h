#ifndef STAGEDOOR_CLIENT_CLI_TERMINAL_H_
#define STAGEDOOR_CLIENT_CLI_TERMINAL_H_

#include <cstddef>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "client/cli/command_line.h"

// Properties of the terminal that commands print to.
namespace stagedoor {

bool IsTerminal(int fd);

struct TerminalSize {
  size_t rows = 24, columns = 80;
};
// The size of the terminal `fd`; that of $COLUMNS and $LINES, or 24 × 80, if it is not known. Both
// are at least 2 and at most 10,000.
TerminalSize TerminalSizeOf(int fd);

// Whether the locale of the environment (LC_ALL, LC_CTYPE or LANG) uses UTF-8.
bool UsesUtf8();

// Whether to print colours to `fd`, by --color auto|always|never (any other value is a usage
// error). With auto, the default: if it is a terminal, $NO_COLOR is not set and $TERM is not
// "dumb".
absl::StatusOr<bool> WantsColor(const CommandLine& line, int fd);

enum class Color { kRed = 31, kGreen = 32, kYellow = 33, kBlue = 34, kMagenta = 35, kCyan = 36 };
// The text in a colour if `enabled`, else as it is.
std::string Colored(std::string_view text, Color color, bool enabled);

}  // namespace stagedoor

#endif  // STAGEDOOR_CLIENT_CLI_TERMINAL_H_

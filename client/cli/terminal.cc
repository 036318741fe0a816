#include "client/cli/terminal.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>

#include "base/strings.h"

namespace stagedoor {
namespace {

constexpr size_t kLeast = 2;
constexpr size_t kMost = 10000;

std::string_view Environment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? std::string_view() : std::string_view(value);
}

size_t NumberIn(const char* name, size_t otherwise) {
  return std::clamp(ParseNumber<size_t>(Environment(name)).value_or(otherwise), kLeast, kMost);
}

}  // namespace

bool IsTerminal(int fd) { return ::isatty(fd) == 1; }

TerminalSize TerminalSizeOf(int fd) {
  winsize size{};
  if (::ioctl(fd, TIOCGWINSZ, &size) == 0 && size.ws_row > 0 && size.ws_col > 0) {
    return {std::clamp<size_t>(size.ws_row, kLeast, kMost),
            std::clamp<size_t>(size.ws_col, kLeast, kMost)};
  }
  const TerminalSize usual;
  return {NumberIn("LINES", usual.rows), NumberIn("COLUMNS", usual.columns)};
}

bool UsesUtf8() {
  for (const char* name : {"LC_ALL", "LC_CTYPE", "LANG"}) {
    const std::string locale = AsciiLower(Environment(name));
    if (locale.empty()) continue;
    return locale.find("utf-8") != std::string::npos || locale.find("utf8") != std::string::npos;
  }
  return false;
}

absl::StatusOr<bool> WantsColor(const CommandLine& line, int fd) {
  const std::string color = line.Option("color").value_or("auto");
  if (color == "always") return true;
  if (color == "never") return false;
  if (color != "auto") {
    return UsageError(Concat("--color must be auto, always or never, not ", Quoted(color)));
  }
  return IsTerminal(fd) && Environment("NO_COLOR").empty() && Environment("TERM") != "dumb";
}

std::string Colored(std::string_view text, Color color, bool enabled) {
  if (!enabled) return std::string(text);
  return Concat("\x1b[", static_cast<int>(color), "m", text, "\x1b[0m");
}

}  // namespace stagedoor

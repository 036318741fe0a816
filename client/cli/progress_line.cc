#include "client/cli/progress_line.h"

#include <string>

#include "base/strings.h"
#include "client/cli/safe_text.h"
#include "client/cli/terminal.h"

namespace stagedoor {

ProgressLine::ProgressLine(int fd) : fd_(fd), enabled_(IsTerminal(fd)) {}

void ProgressLine::Show(std::string_view text) {
  if (!enabled_) return;
  const size_t columns = TerminalSizeOf(fd_).columns;
  // The last column stays free: some terminals would begin a new line.
  const std::string line = Concat("\r", CutText(SafeText(text), columns - 1), "\x1b[K");
  shown_ = ::write(fd_, line.data(), line.size()) >= 0;
}

void ProgressLine::Clear() {
  if (!shown_) return;
  constexpr std::string_view kClear = "\r\x1b[K";
  shown_ = ::write(fd_, kClear.data(), kClear.size()) < 0;
}

}  // namespace stagedoor

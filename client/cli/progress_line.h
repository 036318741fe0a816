#ifndef STAGEDOOR_CLIENT_CLI_PROGRESS_LINE_H_
#define STAGEDOOR_CLIENT_CLI_PROGRESS_LINE_H_

#include <unistd.h>

#include <string_view>

namespace stagedoor {

// A line on standard error that shows how far long work has come, and is removed in the end.
// Nothing is written unless standard error is a terminal. Not thread-safe.
class ProgressLine {
 public:
  explicit ProgressLine(int fd = STDERR_FILENO);
  ~ProgressLine() { Clear(); }
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  // Replaces the text, which is cut to the width of the terminal.
  void Show(std::string_view text);
  void Clear();

 private:
  const int fd_;
  const bool enabled_;
  bool shown_ = false;
};

}  // namespace stagedoor

#endif  // STAGEDOOR_CLIENT_CLI_PROGRESS_LINE_H_

#ifndef STAGEDOOR_CLIENT_CLI_OUTPUT_H_
#define STAGEDOOR_CLIENT_CLI_OUTPUT_H_

#include <unistd.h>

#include <cstddef>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "client/cli/json_writer.h"

namespace stagedoor {

// How much of a scene a command has found wrong.
struct ProblemCounts {
  size_t errors = 0, warnings = 0;
  size_t missing = 0;  // files that something refers to and that do not exist

  // "2 errors, 1 warning, 3 missing files", without what there is none of.
  std::string Text() const;
};

// Buffered standard output. Once a write has failed, nothing more is written and status() has the
// error; commands with much output check it regularly. Not thread-safe.
class Output {
 public:
  explicit Output(int fd = STDOUT_FILENO) : fd_(fd) {}
  ~Output() { Flush().IgnoreError(); }
  Output(const Output&) = delete;
  Output& operator=(const Output&) = delete;

  void Write(std::string_view text);
  void Line(std::string_view text) {
    Write(text);
    Write("\n");
  }
  // Takes the writer's text and writes it as one line.
  void Line(JsonWriter& json) { Line(json.Take()); }

  // Writes the buffered text and returns status().
  absl::Status Flush();

  // The descriptor that is written to, for asking whether it is a terminal.
  int fd() const { return fd_; }

  // OK, or why standard output could not be written. reader_gone() is true if it was a pipe whose
  // reader has closed it, which is not reported as an error.
  const absl::Status& status() const { return status_; }
  bool reader_gone() const { return reader_gone_; }

  // Whether anything was handed to the system yet, here or elsewhere (MarkStarted). If not,
  // Discard() drops all output, and forgets the problems.
  bool started() const { return started_; }
  void MarkStarted() { started_ = true; }
  void Discard() {
    pending_.clear();
    problems_ = {};
  }

  // The problems that the command has reported so far, for the summary that it ends with.
  ProblemCounts& problems() { return problems_; }

 private:
  const int fd_;
  std::string pending_;
  ProblemCounts problems_;
  absl::Status status_;
  bool reader_gone_ = false;
  bool started_ = false;
};

}  // namespace stagedoor

#endif  // STAGEDOOR_CLIENT_CLI_OUTPUT_H_

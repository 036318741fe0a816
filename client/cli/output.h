#ifndef STAGEDOOR_CLIENT_CLI_OUTPUT_H_
#define STAGEDOOR_CLIENT_CLI_OUTPUT_H_

#include <unistd.h>

#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "client/cli/json_writer.h"

namespace stagedoor {

// Standard output in large pieces. Once a write has failed nothing more is written and status()
// says why; commands that produce much look at it now and then. Not thread-safe.
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
  // What the writer holds, as a line of its own.
  void Line(JsonWriter& json) { Line(json.Take()); }

  // Writes what is pending and returns status().
  absl::Status Flush();

  // OK, or why standard output could not be written; reader_gone() says that it was a pipe whose
  // reader has gone away, which is nobody's fault.
  const absl::Status& status() const { return status_; }
  bool reader_gone() const { return reader_gone_; }

  // Whether anything was handed to the system yet; if not, Discard takes back what is pending.
  bool started() const { return started_; }
  void Discard() { pending_.clear(); }

 private:
  const int fd_;
  std::string pending_;
  absl::Status status_;
  bool reader_gone_ = false;
  bool started_ = false;
};

}  // namespace stagedoor

#endif  // STAGEDOOR_CLIENT_CLI_OUTPUT_H_

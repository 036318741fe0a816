// LogWriter: writes log lines to a descriptor without ever holding up who logs.
//
// Lines go into a bounded queue and from there, by a thread of its own, to the descriptor. If that
// is a pipe nobody reads, a full disk or closed, lines are lost, and the next line that can be
// written is preceded by one that says how many. Thread-safe. Destruction waits a moment for what
// is queued, then leaves the rest: a write that hangs never keeps the process.
#ifndef STAGEDOOR_SERVER_LOG_LOG_WRITER_H_
#define STAGEDOOR_SERVER_LOG_LOG_WRITER_H_

#include <chrono>
#include <memory>
#include <string>

#include "absl/status/status.h"

namespace stagedoor {

class LogWriter {
 public:
  static constexpr size_t kMaxPendingBytes = 1 << 20;

  // Writes to `fd`, which stays the caller's and outlives the process's last line.
  explicit LogWriter(int fd);
  ~LogWriter();
  LogWriter(const LogWriter&) = delete;
  LogWriter& operator=(const LogWriter&) = delete;

  // Writes to the file `path` from now on, appending; made if it is not there. Also reopens the
  // same path after it was renamed away. PERMISSION_DENIED names the file; then nothing changes.
  absl::Status Open(const std::string& path);

  // `line` ends with a newline. Never waits.
  void Write(std::string line);

  // Waits until everything before has been written or lost; false if `timeout` was over first.
  bool Flush(std::chrono::milliseconds timeout);

 private:
  class State;
  const std::shared_ptr<State> state_;  // shared with the thread, which may outlive this object
};

}  // namespace stagedoor

#endif  // STAGEDOOR_SERVER_LOG_LOG_WRITER_H_

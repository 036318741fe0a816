// LogWriter writes log lines to a descriptor without ever blocking the threads that log.
//
// Lines go into a bounded queue, from which a separate thread writes them. If the descriptor is
// closed, a full disk or a pipe that is not read, lines are lost; the next line written is then
// preceded by one with the number of lost lines. Thread-safe. Destruction waits briefly for queued
// lines and drops the rest, so that a write that hangs never delays the exit of the process.
#ifndef STAGEDOOR_SERVER_LOG_LOG_WRITER_H_
#define STAGEDOOR_SERVER_LOG_LOG_WRITER_H_

#include <chrono>
#include <memory>
#include <string>
#include <string_view>

#include "absl/status/status.h"

namespace stagedoor::server {

class LogWriter {
 public:
  static constexpr size_t kMaxPendingBytes = 1 << 20;

  // Writes to `fd`, which the caller owns and must keep open until the process ends.
  explicit LogWriter(int fd);
  ~LogWriter();
  LogWriter(const LogWriter&) = delete;
  LogWriter& operator=(const LogWriter&) = delete;

  // From now on appends to the file `path`, which is created if it does not exist. Also used to
  // reopen the path after the file was renamed. PERMISSION_DENIED, which names the file, changes
  // nothing.
  absl::Status Open(const std::string& path);

  // The descriptor that lines are written to from now on. Async-signal-safe, for the last words of
  // a process that crashes.
  int descriptor() const;

  // Queues `line`, which ends with a newline. Never waits.
  void Write(std::string_view line);

  // Waits until all lines queued before are written or lost. False if `timeout` expires first.
  bool Flush(std::chrono::milliseconds timeout);

 private:
  class State;
  const std::shared_ptr<State> state_;  // shared with the thread, which may outlive this object
};

}  // namespace stagedoor::server

#endif  // STAGEDOOR_SERVER_LOG_LOG_WRITER_H_

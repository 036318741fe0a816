#ifndef STAGEDOOR_SERVER_LOG_AUDIT_LOG_H_
#define STAGEDOOR_SERVER_LOG_AUDIT_LOG_H_

#include <chrono>
#include <functional>
#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "server/log/audit_sink.h"
#include "server/log/log_writer.h"

namespace stagedoor::server {

// A file with one JSON object per line for each decision about access: who asked for what, and
// whether they got it. Lines are written in the background; if the file cannot take them, the next
// line that it takes is preceded by one with the number of lost lines. Thread-safe.
class AuditLog final : public AuditSink {
 public:
  using Clock = std::chrono::system_clock;

  // Appends to the file at `path`, which is created if it does not exist. PERMISSION_DENIED, which
  // names the file.
  static absl::StatusOr<std::unique_ptr<AuditLog>> Open(
      const std::string& path, std::function<Clock::time_point()> now = Clock::now);
  ~AuditLog() override;

  void Record(const Entry& entry) override;

  // Opens the file again after its rotation.
  absl::Status Reopen();
  // Waits until all entries so far are written. False if `timeout` expires first.
  bool Flush(std::chrono::milliseconds timeout) { return writer_.Flush(timeout); }

 private:
  AuditLog(std::string path, std::function<Clock::time_point()> now);

  const std::string path_;
  const std::function<Clock::time_point()> now_;
  LogWriter writer_;
};

}  // namespace stagedoor::server

#endif  // STAGEDOOR_SERVER_LOG_AUDIT_LOG_H_

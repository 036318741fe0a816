#include "server/daemon_control.h"

#include <utility>

#include "base/status.h"
#include "server/config/config_printer.h"
#include "server/error_info.h"
#include "server/log/logging.h"

namespace stagedoor::server {

DaemonControl::DaemonControl(Options options) : options_(std::move(options)) {}

bool DaemonControl::Drain() {
  // A second signal would hurry the daemon.
  const bool before = draining_.exchange(true);
  if (!before) options_.stop();
  return before;
}

std::string DaemonControl::SetLogLevel(const std::string& level) {
  std::string before = CurrentLogLevel();
  if (!level.empty()) server::SetLogLevel(level);
  return before;
}

absl::StatusOr<ReloadReport> DaemonControl::ReloadConfig() {
  if (!options_.has_config_file) {
    return WithReason(FailedPreconditionError("the daemon was started without a configuration "
                                              "file (--config)"),
                      v1::ERROR_REASON_UNSUPPORTED);
  }
  // Another thread that waits for the same file system would help nobody.
  if (options_.reloader->is_reloading()) {
    return AbortedError("the configuration is being reloaded; try again later");
  }
  options_.reopen_files();
  return options_.reloader->Reload();
}

std::string DaemonControl::Config() {
  return PrintDaemonConfig(options_.reloader->running(), options_.schema_paths);
}

}  // namespace stagedoor::server

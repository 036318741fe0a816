#ifndef STAGEDOOR_SERVER_CONFIG_CONFIG_RELOADER_H_
#define STAGEDOOR_SERVER_CONFIG_CONFIG_RELOADER_H_

#include <atomic>
#include <functional>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "base/mutex.h"
#include "server/access/access_options.h"
#include "server/config/daemon_config.h"
#include "server/lifecycle/reload_report.h"

namespace stagedoor::server {

// Applies changes of the configuration to a daemon that runs: the log level and the section
// "access". Logs a warning for every other flag that has changed. Thread-safe.
class ConfigReloader {
 public:
  using Read = std::function<absl::StatusOr<DaemonConfig>()>;
  using SetAccess = std::function<absl::Status(const AccessOptions& access)>;

  // `running` is the configuration that the daemon was started with, and `read` reads it again.
  // `set_access` is called by every Reload that succeeds, even if the section is the same, because
  // the files and links it names may have changed; an error means that access stays as it was. Both
  // are called one at a time.
  ConfigReloader(DaemonConfig running, Read read, SetAccess set_access);

  // Reads the configuration and applies it. If it has errors, they are logged, and everything stays
  // as it was. The log level becomes that of the configuration, even if an administrator has set
  // another.
  ReloadReport Reload();
  // Whether a Reload runs, which may take long if a file system hangs.
  bool is_reloading() const { return reloads_.load() > 0; }

  // The configuration that is in force. Does not wait for a Reload that is reading files.
  DaemonConfig running() const;

 private:
  ReloadReport ReadAndApply();
  void ApplyLogLevel(const DaemonConfig& next, ReloadReport* report);
  void ReportFlags(const DaemonConfig& next, ReloadReport* report) const;
  void ApplyAccess(const DaemonConfig& next, ReloadReport* report);

  const Read read_;
  const SetAccess set_access_;
  std::atomic<int> reloads_{0};  // that run or wait
  Mutex reload_mu_;              // held by Reload
  mutable Mutex mu_;
  DaemonConfig running_ ABSL_GUARDED_BY(mu_);
};

}  // namespace stagedoor::server

#endif  // STAGEDOOR_SERVER_CONFIG_CONFIG_RELOADER_H_

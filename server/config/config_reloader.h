#ifndef STAGEDOOR_SERVER_CONFIG_CONFIG_RELOADER_H_
#define STAGEDOOR_SERVER_CONFIG_CONFIG_RELOADER_H_

#include <functional>

#include "absl/status/statusor.h"
#include "base/mutex.h"
#include "server/access/access_options.h"
#include "server/config/daemon_config.h"

namespace stagedoor::server {

// Applies changes of the configuration to a daemon that runs: the log level and the section
// "access". Logs a warning for every other flag that has changed. Thread-safe.
class ConfigReloader {
 public:
  using Read = std::function<absl::StatusOr<DaemonConfig>()>;
  using SetAccess = std::function<void(const AccessOptions& access)>;

  // `running` is the configuration that the daemon was started with, and `read` reads it again.
  // `set_access` is called by every Reload that succeeds, even if the section is the same, because
  // the files and links it names may have changed. Both are called one at a time.
  ConfigReloader(DaemonConfig running, Read read, SetAccess set_access);

  // Reads the configuration and applies it. If it has errors, they are logged, and everything stays
  // as it was.
  void Reload();

 private:
  void Apply(const DaemonConfig& next) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_);

  const Read read_;
  const SetAccess set_access_;
  Mutex mu_;
  DaemonConfig running_ ABSL_GUARDED_BY(mu_);
};

}  // namespace stagedoor::server

#endif  // STAGEDOOR_SERVER_CONFIG_CONFIG_RELOADER_H_

#ifndef STAGEDOOR_SERVER_DAEMON_CONTROL_H_
#define STAGEDOOR_SERVER_DAEMON_CONTROL_H_

#include <atomic>
#include <functional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "server/config/config_reloader.h"
#include "server/lifecycle/admin_control.h"

namespace stagedoor::server {

// Implements the actions of administrators on the daemon's process. Thread-safe.
class DaemonControl final : public AdminControl {
 public:
  struct Options {
    ConfigReloader* reloader = nullptr;     // must outlive the object
    bool has_config_file = false;           // whether there is anything to reload
    std::vector<std::string> schema_paths;  // of the environment, for Config
    // Opens the log files again, as SIGHUP does.
    std::function<void()> reopen_files = [] {};
    // Sends the process the signal to stop.
    std::function<void()> stop;
  };
  explicit DaemonControl(Options options);

  // To be called when the daemon begins to stop for any reason, such as a signal.
  void SetDraining() { draining_ = true; }

  bool Drain() override;
  std::string SetLogLevel(const std::string& level) override;
  absl::StatusOr<ReloadReport> ReloadConfig() override;
  std::string Config() override;

 private:
  const Options options_;
  std::atomic<bool> draining_{false};
};

}  // namespace stagedoor::server

#endif  // STAGEDOOR_SERVER_DAEMON_CONTROL_H_

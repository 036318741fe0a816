#ifndef STAGEDOOR_SERVER_HANDLERS_ADMIN_CONTROL_H_
#define STAGEDOOR_SERVER_HANDLERS_ADMIN_CONTROL_H_

#include <string>

#include "absl/status/statusor.h"
#include "server/config/reload_report.h"

namespace stagedoor::server {

// The actions of AdminService on the process that the server runs in. The daemon implements it; a
// server inside another program has none. Thread-safe.
class AdminControl {
 public:
  virtual ~AdminControl() = default;

  // Begins to stop the process, as SIGTERM does, unless that has begun. Returns whether it had.
  virtual bool Drain() = 0;

  // Sets the least severity that is logged, a name of IsLogLevel; an empty one changes nothing.
  // Returns the one before.
  virtual std::string SetLogLevel(const std::string& level) = 0;

  // Reads the configuration file again and applies it. FAILED_PRECONDITION without a configuration
  // file.
  virtual absl::StatusOr<ReloadReport> ReloadConfig() = 0;

  // The configuration in force, as --print-config prints it.
  virtual std::string Config() = 0;
};

}  // namespace stagedoor::server

#endif  // STAGEDOOR_SERVER_HANDLERS_ADMIN_CONTROL_H_

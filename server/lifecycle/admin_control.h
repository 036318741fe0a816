#ifndef STAGEDOOR_SERVER_LIFECYCLE_ADMIN_CONTROL_H_
#define STAGEDOOR_SERVER_LIFECYCLE_ADMIN_CONTROL_H_

#include <string>

#include "absl/status/statusor.h"
#include "server/lifecycle/reload_report.h"

namespace stagedoor::server {

// The actions of AdminService on the process that the server runs in. The daemon implements it; a
// server inside another program has NoAdminControl. Thread-safe.
class AdminControl {
 public:
  virtual ~AdminControl() = default;

  // Whether the server may act on its process. If not, the other functions do nothing.
  virtual bool controls_process() const { return true; }

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

// A server inside another program has this one: the process is not the server's to control.
class NoAdminControl final : public AdminControl {
 public:
  bool controls_process() const override { return false; }
  bool Drain() override { return true; }  // it is the program that stops the server
  std::string SetLogLevel(const std::string&) override { return {}; }
  absl::StatusOr<ReloadReport> ReloadConfig() override { return ReloadReport(); }
  std::string Config() override { return {}; }
};

}  // namespace stagedoor::server

#endif  // STAGEDOOR_SERVER_LIFECYCLE_ADMIN_CONTROL_H_

#include "server/config/config_reloader.h"

#include <spdlog/spdlog.h>

#include <string>
#include <string_view>
#include <utility>

#include "base/status.h"
#include "server/config/daemon_flag_table.h"
#include "server/config/flag.h"
#include "server/log/logging.h"

namespace stagedoor::server {
namespace {

// Each line of the message is an error.
void LogErrors(std::string_view message) {
  while (!message.empty()) {
    const std::string_view line = message.substr(0, message.find('\n'));
    spdlog::error("configuration: {}", line);
    message.remove_prefix(line.size() == message.size() ? line.size() : line.size() + 1);
  }
  spdlog::error("the configuration has errors and was not reloaded");
}

}  // namespace

ConfigReloader::ConfigReloader(DaemonConfig running, Read read, SetAccess set_access)
    : read_(std::move(read)), set_access_(std::move(set_access)), running_(std::move(running)) {}

void ConfigReloader::Reload() {
  MutexLock lock(mu_);
  const absl::StatusOr<DaemonConfig> next = read_();
  if (!next.ok()) return LogErrors(Message(next.status()));
  Apply(*next);
}

void ConfigReloader::Apply(const DaemonConfig& next) {
  std::string& level = running_.flags.log_level;
  if (next.flags.log_level != level) {
    level = next.flags.log_level;
    SetLogLevel(level);
    spdlog::info("--log-level is now {}", level);
  }
  spdlog::info("reloaded the configuration");
  for (const Flag& flag : DaemonFlagTable()) {
    if (flag.get(next.flags) == flag.get(running_.flags)) continue;
    spdlog::warn("--{} changes only at a restart", flag.name);
  }
  if (next.access_section != running_.access_section) {
    running_.access_section = next.access_section;
    spdlog::info("the roles and tokens of the section 'access' have changed");
  }
  running_.flags.server.access = next.flags.server.access;
  set_access_(running_.flags.server.access);
}

}  // namespace stagedoor::server

#include "server/config/config_reloader.h"

#include <spdlog/spdlog.h>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/status.h"
#include "base/strings.h"
#include "server/config/daemon_flag_table.h"
#include "server/config/flag.h"
#include "server/log/logging.h"

namespace stagedoor::server {
namespace {

// Each line of the message is an error.
std::vector<std::string> LinesOf(std::string_view message) {
  std::vector<std::string> lines;
  while (!message.empty()) {
    const std::string_view line = message.substr(0, message.find('\n'));
    lines.emplace_back(line);
    message.remove_prefix(line.size() == message.size() ? line.size() : line.size() + 1);
  }
  return lines;
}

constexpr std::string_view kLogLevelFlag = "log-level";

}  // namespace

ConfigReloader::ConfigReloader(DaemonConfig running, Read read, SetAccess set_access)
    : read_(std::move(read)), set_access_(std::move(set_access)), running_(std::move(running)) {}

DaemonConfig ConfigReloader::running() const {
  MutexLock lock(mu_);
  return running_;
}

ReloadReport ConfigReloader::Reload() {
  reloads_.fetch_add(1);
  MutexLock lock(reload_mu_);
  ReloadReport report = ReadAndApply();
  reloads_.fetch_sub(1);
  return report;
}

ReloadReport ConfigReloader::ReadAndApply() {
  ReloadReport report;
  const absl::StatusOr<DaemonConfig> next = read_();
  if (!next.ok()) {
    report.errors = LinesOf(Message(next.status()));
    for (const std::string& error : report.errors) spdlog::error("configuration: {}", error);
    spdlog::error("the configuration has errors and was not reloaded");
    return report;
  }
  ApplyLogLevel(*next, &report);
  spdlog::info("reloaded the configuration");
  ReportFlags(*next, &report);
  ApplyAccess(*next, &report);
  return report;
}

// Compared with the level that applies, which an administrator may have set.
void ConfigReloader::ApplyLogLevel(const DaemonConfig& next, ReloadReport* report) {
  const std::string& level = next.flags.log_level;
  if (level != CurrentLogLevel()) {
    SetLogLevel(level);
    spdlog::info("--log-level is now {}", level);
    report->changed.emplace_back(kLogLevelFlag);
  }
  MutexLock lock(mu_);
  running_.flags.log_level = level;
  running_.settings.erase(std::string(kLogLevelFlag));
  const auto setting = next.settings.find(kLogLevelFlag);
  if (setting != next.settings.end()) running_.settings.insert(*setting);
}

void ConfigReloader::ReportFlags(const DaemonConfig& next, ReloadReport* report) const {
  const DaemonFlags running = this->running().flags;
  for (const Flag& flag : DaemonFlagTable()) {
    if (flag.get(next.flags) == flag.get(running)) continue;
    spdlog::warn("--{} changes only at a restart", flag.name);
    report->needs_restart.push_back(flag.name);
  }
}

void ConfigReloader::ApplyAccess(const DaemonConfig& next, ReloadReport* report) {
  const AccessOptions& access = next.flags.server.access;
  bool changed = false;
  {
    MutexLock lock(mu_);
    changed = next.access_section != running_.access_section;
  }
  if (changed) spdlog::info("the roles and tokens of the section 'access' have changed");
  const absl::Status status = set_access_(access);
  if (!status.ok()) {
    spdlog::error("access stays as it was: {}", Message(status));
    report->errors.push_back(Concat("access stays as it was: ", Message(status)));
    return;
  }
  if (changed) report->changed.emplace_back("access");
  MutexLock lock(mu_);
  running_.access_section = next.access_section;
  running_.flags.server.access = access;
}

}  // namespace stagedoor::server

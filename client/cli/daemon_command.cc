#include <signal.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>
#include <thread>

#include "base/status.h"
#include "base/status_macros.h"
#include "client/cc/private_daemon.h"
#include "client/cli/commands.h"
#include "client/cli/safe_text.h"

namespace stagedoor {
namespace {

constexpr std::chrono::seconds kStopPatience{30};
constexpr std::chrono::milliseconds kStopLook{20};

absl::Status NoPrivateDaemon() { return UnavailableError("no private daemon runs"); }

absl::Status ShowDaemon(const PrivateDaemon& daemon, Output& output) {
  SD_ASSIGN_OR_RETURN(const std::optional<pid_t> process, daemon.FindProcess());
  if (!process.has_value()) return NoPrivateDaemon();
  output.Line(Concat("process\t", *process));
  output.Line(Concat("address\t", daemon.address()));
  output.Line(Concat("log\t", daemon.log_file()));
  return absl::OkStatus();
}

absl::Status StopDaemon(const PrivateDaemon& daemon, Output& output) {
  SD_ASSIGN_OR_RETURN(const std::optional<pid_t> process, daemon.FindProcess());
  if (!process.has_value()) return NoPrivateDaemon();
  if (::kill(*process, SIGTERM) != 0) {
    return UnavailableError("cannot stop process ", *process, ": ", std::strerror(errno));
  }
  const auto deadline = std::chrono::steady_clock::now() + kStopPatience;
  for (;;) {
    // An error as long as it has too many connections to accept.
    const absl::StatusOr<std::optional<pid_t>> left = daemon.FindProcess();
    if (left.ok() && *left != process) break;
    if (std::chrono::steady_clock::now() >= deadline) {
      return UnavailableError("process ", *process, " does not end");
    }
    std::this_thread::sleep_for(kStopLook);
  }
  output.Line(Concat("stopped process ", *process));
  return absl::OkStatus();
}

absl::Status PrintDaemonLog(const PrivateDaemon& daemon, Output& output) {
  SD_ASSIGN_OR_RETURN(const std::string log, daemon.ReadLog());
  std::string_view rest = log;
  while (!rest.empty()) {
    const std::string_view line = rest.substr(0, rest.find('\n'));
    output.Line(SafeText(line));
    rest.remove_prefix(std::min(line.size() + 1, rest.size()));
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status RunDaemon(const CommandLine& line, Output& output) {
  const PrivateDaemon daemon("", PrivateDaemon::Folder());
  const std::string& action = line.arguments().front();
  if (action == "status") return ShowDaemon(daemon, output);
  if (action == "stop") return StopDaemon(daemon, output);
  if (action == "log") return PrintDaemonLog(daemon, output);
  return UsageError(Concat("unknown action ", Quoted(action), "; use status, stop or log"));
}

}  // namespace stagedoor

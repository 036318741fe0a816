#include "client/cli/health_command.h"

#include <chrono>
#include <string>

#include "base/status.h"
#include "base/status_macros.h"
#include "client/cc/health.h"
#include "client/cc/private_daemon.h"
#include "client/cli/connection.h"

namespace stagedoor {

absl::Status RunHealth(const CommandLine& line, Output& output) {
  SD_ASSIGN_OR_RETURN(ClientOptions options, DaemonOptions(line));
  if (options.private_daemon != nullptr) {
    SD_ASSIGN_OR_RETURN(const auto process, options.private_daemon->FindProcess());
    if (!process.has_value()) return UnavailableError("no private daemon runs");
  }
  if (!line.Option("timeout").has_value()) options.timeout = std::chrono::seconds(5);
  const std::string service = line.arguments().empty() ? "" : line.arguments().front();
  absl::Status status = CheckHealth(options, service);
  if (absl::IsNotFound(status)) {
    return absl::NotFoundError(
        Concat("the daemon has no service ", Quoted(service), "; omit it to ask about the whole"));
  }
  if (status.ok()) output.Line("serving");
  return status;
}

}  // namespace stagedoor

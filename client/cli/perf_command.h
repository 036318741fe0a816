#ifndef STAGEDOOR_CLIENT_CLI_PERF_COMMAND_H_
#define STAGEDOOR_CLIENT_CLI_PERF_COMMAND_H_

#include "absl/status/status.h"
#include "client/cli/command_line.h"
#include "client/cli/output.h"

namespace stagedoor {

// Loads a daemon with the calls of several clients, each with a connection of its own, and prints
// their latencies and how many there were. With --embedded the clients share a server, without
// connections.
absl::Status RunPerf(const CommandLine& line, Output& output);

}  // namespace stagedoor

#endif  // STAGEDOOR_CLIENT_CLI_PERF_COMMAND_H_

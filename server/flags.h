#ifndef STAGEDOOR_SERVER_FLAGS_H_
#define STAGEDOOR_SERVER_FLAGS_H_

#include <chrono>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "server/server_options.h"

namespace stagedoor {

// What the command line of stagedoord says.
struct DaemonFlags {
  ServerOptions server;
  std::string address_file;  // where the chosen addresses are written, one a line; empty: nowhere
  std::string log_level = "info";
  std::chrono::milliseconds drain_patience = std::chrono::seconds(5);
  bool help = false;
};

// INVALID_ARGUMENT names the flag that is wrong.
absl::StatusOr<DaemonFlags> ParseFlags(const std::vector<std::string>& words);

// What --help prints.
std::string FlagsHelp();

}  // namespace stagedoor

#endif  // STAGEDOOR_SERVER_FLAGS_H_

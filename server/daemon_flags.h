#ifndef STAGEDOOR_SERVER_DAEMON_FLAGS_H_
#define STAGEDOOR_SERVER_DAEMON_FLAGS_H_

#include <chrono>
#include <string>

#include "server/lifecycle/drain_state_machine.h"
#include "server/server_options.h"

namespace stagedoor::server {

// The parsed command line of stagedoord.
struct DaemonFlags {
  DaemonFlags() { server.stages.check_interval = std::chrono::milliseconds(100); }

  ServerOptions server;
  std::string address_file;  // receives the chosen addresses, one per line; not written if empty
  std::string log_level = "info";
  std::string log_file;  // standard error if empty
  DrainTimeouts drain;
  bool help = false;
  bool version = false;
};

}  // namespace stagedoor::server

#endif  // STAGEDOOR_SERVER_DAEMON_FLAGS_H_

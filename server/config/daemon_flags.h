#ifndef STAGEDOOR_SERVER_CONFIG_DAEMON_FLAGS_H_
#define STAGEDOOR_SERVER_CONFIG_DAEMON_FLAGS_H_

#include <chrono>
#include <string>

#include "server/lifecycle/drain_state_machine.h"
#include "server/log/log_fields.h"
#include "server/server_options.h"
#include "server/store/session_store_options.h"

namespace stagedoor::server {

// The settings of stagedoord, from its configuration file, environment and command line.
struct DaemonFlags {
  DaemonFlags() { server.stages.check_interval = std::chrono::milliseconds(100); }

  ServerOptions server;
  std::string address_file;  // receives the chosen addresses, one per line; not written if empty
  std::string log_level = "info";
  LogFormat log_format = LogFormat::kText;
  std::string log_file;  // standard error if empty
  DrainTimeouts drain;
  SessionStoreOptions session_store;

  // Given on the command line only, except that STAGEDOOR_CONFIG may name the file.
  std::string config_file;  // none if empty
  bool check_config = false;
  bool print_config = false;
  bool help = false;
  bool version = false;
};

}  // namespace stagedoor::server

#endif  // STAGEDOOR_SERVER_CONFIG_DAEMON_FLAGS_H_

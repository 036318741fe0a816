#ifndef STAGEDOOR_SERVER_CONFIG_CONFIG_PRINTER_H_
#define STAGEDOOR_SERVER_CONFIG_CONFIG_PRINTER_H_

#include <string>
#include <vector>

#include "server/config/daemon_config.h"

namespace stagedoor::server {

// The configuration as a file that --config accepts and that gives the same configuration. Comments
// state where each value comes from; defaults are comments as a whole, and so are `schema_paths`,
// those of STAGEDOOR_SCHEMA_PATH, which apply in addition.
std::string PrintDaemonConfig(const DaemonConfig& config,
                              const std::vector<std::string>& schema_paths);

}  // namespace stagedoor::server

#endif  // STAGEDOOR_SERVER_CONFIG_CONFIG_PRINTER_H_

#ifndef STAGEDOOR_SERVER_CONFIG_ACCESS_SECTION_H_
#define STAGEDOOR_SERVER_CONFIG_ACCESS_SECTION_H_

#include "server/access/access_options.h"
#include "server/config/config_errors.h"
#include "server/config/config_node.h"

namespace stagedoor::server {

// Reads the section "access" of the configuration file; docs/configuration.md describes it. Adds an
// error for everything that is wrong with it, key files that do not exist included. The result may
// only be used if there are none.
AccessOptions ReadAccessSection(const ConfigNode& node, ConfigErrors& errors);

}  // namespace stagedoor::server

#endif  // STAGEDOOR_SERVER_CONFIG_ACCESS_SECTION_H_

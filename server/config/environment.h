#ifndef STAGEDOOR_SERVER_CONFIG_ENVIRONMENT_H_
#define STAGEDOOR_SERVER_CONFIG_ENVIRONMENT_H_

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "server/config/flag.h"
#include "server/config/flag_setting.h"

namespace stagedoor::server {

// The environment variables that begin with "STAGEDOOR_". Those that are empty are left out, since
// launchers often cannot leave a variable unset.
using Environment = std::map<std::string, std::string, std::less<>>;

inline constexpr std::string_view kConfigVariable = "STAGEDOOR_CONFIG";  // is --config

// The environment of the process.
Environment ProcessEnvironment();

// The variable of a flag, such as "STAGEDOOR_MAX_CALLS". Empty for a flag that has none:
// STAGEDOOR_ADDRESS names the daemon that clients connect to, and STAGEDOOR_SCHEMA_PATH is shared
// with `stagedoor --embedded` (see SchemaPathsFromEnvironment).
std::string FlagVariable(const Flag& flag);

// The flags that `environment` sets. The values of repeatable flags are separated by ','. Variables
// without a flag are ignored, because other programs may use them.
FlagSettings ReadEnvironment(const Environment& environment, const std::vector<Flag>& table);

}  // namespace stagedoor::server

#endif  // STAGEDOOR_SERVER_CONFIG_ENVIRONMENT_H_

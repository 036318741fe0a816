#ifndef STAGEDOOR_SERVER_CONFIG_UPSTREAM_FLAGS_H_
#define STAGEDOOR_SERVER_CONFIG_UPSTREAM_FLAGS_H_

#include <vector>

#include "absl/status/status.h"
#include "server/config/daemon_flags.h"
#include "server/config/flag.h"
#include "server/config/flag_setting.h"

namespace stagedoor::server {

// Adds the flags of node daemons to the table of all flags.
void AddUpstreamFlags(std::vector<Flag>* all);

// INVALID_ARGUMENT if `settings` has a flag that is about scenes although the daemon is a node
// daemon, or one of node daemons although it is not.
absl::Status CheckNodeFlags(const DaemonFlags& flags, const FlagSettings& settings);

}  // namespace stagedoor::server

#endif  // STAGEDOOR_SERVER_CONFIG_UPSTREAM_FLAGS_H_

#ifndef STAGEDOOR_CLIENT_SDK_CONNECTION_OPTIONS_H_
#define STAGEDOOR_CLIENT_SDK_CONNECTION_OPTIONS_H_

#include <chrono>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "client/cc/client_options.h"

namespace stagedoor::sdk {

// The settings of a Connection.
struct ConnectionOptions {
  // Daemons that serve the same scenes, each "HOST:PORT" or "unix:PATH". The first one that answers
  // is used. Default: those of the environment variable STAGEDOOR_ADDRESS, with commas between
  // them; if it is not set, a private daemon of this user, which is started when it is needed
  // (docs/cpp.md).
  std::vector<std::string> addresses;
  // Deadlines, retries, proxy and security of all calls. `address` is ignored. Without a proxy, the
  // one of the environment variable STAGEDOOR_PROXY is used, if it is set.
  ClientOptions client;
  // If there are several addresses: how long a call tries to reach a daemon before it turns to the
  // next one.
  std::chrono::milliseconds failover_after = std::chrono::seconds(1);
  // Maximum bytes of arrays that are kept, so that a daemon need not send them again, whatever the
  // stage and time they are asked for. 0: none.
  size_t array_cache_bytes = size_t{256} << 20;
  // The time to live of leases. Default: that of the daemon.
  std::optional<std::chrono::seconds> lease_ttl = std::nullopt;
  // A name for the daemon's list of stages, for example "farm/node-17".
  std::string client_name;
};

}  // namespace stagedoor::sdk

#endif  // STAGEDOOR_CLIENT_SDK_CONNECTION_OPTIONS_H_

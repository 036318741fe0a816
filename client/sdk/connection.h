#ifndef STAGEDOOR_CLIENT_SDK_CONNECTION_H_
#define STAGEDOOR_CLIENT_SDK_CONNECTION_H_

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "client/cc/client.h"

namespace stagedoor::sdk {

// The settings of a Connection.
struct ConnectionOptions {
  // Daemons that serve the same scenes, each "HOST:PORT" or "unix:PATH". The first one that answers
  // is used. Default: the environment variable STAGEDOOR_ADDRESS.
  std::vector<std::string> addresses;
  // Deadlines, retries and security of all calls. `address` is ignored.
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

// A connection to a daemon, or to one of several that serve the same scenes. The stages that are
// opened with it share its arrays; a thread renews the leases of those that are idle. Thread-safe.
// Not usable in a child process after fork().
class Connection {
 public:
  // Returns immediately; the first call waits for the daemon.
  static std::shared_ptr<Connection> Connect(ConnectionOptions options);
  // The same for one daemon.
  static std::shared_ptr<Connection> Connect(const std::string& address);
  // Uses existing clients instead of addresses, such as one of an in-process channel. Not empty.
  static std::shared_ptr<Connection> FromClients(std::vector<std::unique_ptr<Client>> clients,
                                                 ConnectionOptions options);
  ~Connection();
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  // The client of the daemon that is used now, for calls that are not about a stage. Valid as long
  // as this object.
  Client& client() const;

  // How the arrays that the client has were of use.
  struct ArrayCacheStatistics {
    size_t held_bytes = 0;
    uint64_t hits = 0;    // arrays that came again: most of them without their bytes
    uint64_t misses = 0;  // arrays that came for the first time
  };
  ArrayCacheStatistics array_cache_statistics() const;

 private:
  friend class StageSession;
  struct Impl;
  explicit Connection(std::unique_ptr<Impl> impl);

  const std::unique_ptr<Impl> impl_;
};

}  // namespace stagedoor::sdk

#endif  // STAGEDOOR_CLIENT_SDK_CONNECTION_H_

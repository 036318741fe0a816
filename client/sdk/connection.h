#ifndef STAGEDOOR_CLIENT_SDK_CONNECTION_H_
#define STAGEDOOR_CLIENT_SDK_CONNECTION_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "client/cc/client.h"
#include "client/sdk/asset.h"               // IWYU pragma: export
#include "client/sdk/connection_options.h"  // IWYU pragma: export

namespace stagedoor::sdk {

class ConnectionState;

// A connection to a daemon, or to one of several that serve the same scenes. The stages that are
// opened with it share its arrays; a thread renews the leases of those that are idle. Thread-safe.
// Not usable in a child process after fork().
class Connection {
 public:
  // Returns immediately; the first call waits for the daemon.
  static std::shared_ptr<Connection> Connect(ConnectionOptions options);
  // Connects to a single daemon.
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

  // Reads the bytes of an asset, or a range of them, all of one version. After a lost connection,
  // reads them again, from the next daemon if there are several.
  absl::StatusOr<Asset> ReadAsset(const v1::ReadAssetRequest& request,
                                  const CallOptions& call = {}) const;

  // How the arrays that the client has were of use.
  struct ArrayCacheStatistics {
    size_t held_bytes = 0;
    uint64_t hits = 0;    // arrays that came again: most of them without their bytes
    uint64_t misses = 0;  // arrays that came for the first time
  };
  ArrayCacheStatistics array_cache_statistics() const;

 private:
  friend class StageSession;
  explicit Connection(std::unique_ptr<ConnectionState> state);

  const std::unique_ptr<ConnectionState> state_;
};

}  // namespace stagedoor::sdk

#endif  // STAGEDOOR_CLIENT_SDK_CONNECTION_H_

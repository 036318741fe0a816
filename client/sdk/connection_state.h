#ifndef STAGEDOOR_CLIENT_SDK_CONNECTION_STATE_H_
#define STAGEDOOR_CLIENT_SDK_CONNECTION_STATE_H_

#include <atomic>
#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

#include "client/cc/client.h"
#include "client/sdk/array_cache.h"
#include "client/sdk/connection_options.h"
#include "client/sdk/lease_keeper.h"

namespace stagedoor::sdk {

// What a Connection owns. Thread-safe.
class ConnectionState {
 public:
  ConnectionState(std::vector<std::unique_ptr<Client>> daemons,
                  ConnectionOptions connection_options)
      : options(std::move(connection_options)),
        clients(std::move(daemons)),
        arrays(options.array_cache_bytes) {}

  // The index of the client to use now.
  size_t current() const { return index_; }
  // Turns from a daemon that cannot be reached to the next one, unless another call has done so.
  void Leave(size_t index) { index_.compare_exchange_strong(index, (index + 1) % clients.size()); }

  const ConnectionOptions options;
  const std::vector<std::unique_ptr<Client>> clients;
  ArrayCache arrays;
  LeaseKeeper keeper{[this](Lease& lease) { lease.Renew(*clients[lease.daemon()]); }};

 private:
  std::atomic<size_t> index_{0};
};

}  // namespace stagedoor::sdk

#endif  // STAGEDOOR_CLIENT_SDK_CONNECTION_STATE_H_

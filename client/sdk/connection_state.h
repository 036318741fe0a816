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
#include "client/sdk/path_sets.h"

namespace stagedoor::sdk {

// The state of a Connection. Thread-safe.
class ConnectionState {
 public:
  ConnectionState(std::vector<std::unique_ptr<Client>> daemons,
                  ConnectionOptions connection_options)
      : options(std::move(connection_options)),
        clients(std::move(daemons)),
        arrays(options.array_cache_bytes),
        abandoned_(clients.size()) {}
  // Ends within the time that StageSession gives to the calls that close stages.
  ~ConnectionState() { closing_->Cancel(); }

  // The index of the client to use now.
  size_t current() const { return index_; }
  // Turns from a daemon that cannot be reached to the next one, unless another call has done so.
  void Leave(size_t index) { index_.compare_exchange_strong(index, (index + 1) % clients.size()); }

  // Takes note that a daemon did not answer in time, and turns to the next one. Its host may be
  // gone: then nothing closes the connection, so that calls would fail one after another.
  void Abandon(size_t index) {
    abandoned_[index] = true;
    Leave(index);
  }
  // Takes note that a daemon has answered.
  void Answered(size_t index) { abandoned_[index] = false; }
  bool abandoned(size_t index) const { return abandoned_[index]; }

  const ConnectionOptions options;
  const std::vector<std::unique_ptr<Client>> clients;
  ArrayCache arrays;
  PathSets path_sets;
  LeaseKeeper keeper{[this](Lease& lease) { lease.Renew(*clients[lease.daemon()], closing_); }};

 private:
  const std::shared_ptr<Cancellation> closing_ = std::make_shared<Cancellation>();
  std::atomic<size_t> index_{0};
  std::vector<std::atomic<bool>> abandoned_;  // by daemon
};

}  // namespace stagedoor::sdk

#endif  // STAGEDOOR_CLIENT_SDK_CONNECTION_STATE_H_

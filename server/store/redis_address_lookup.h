#ifndef STAGEDOOR_SERVER_STORE_REDIS_ADDRESS_LOOKUP_H_
#define STAGEDOOR_SERVER_STORE_REDIS_ADDRESS_LOOKUP_H_

#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "server/store/redis_wait.h"

namespace stagedoor::server {

// Finds the socket addresses of a server. The system's look-up of a name cannot be interrupted, so
// it runs on a thread of its own, one at a time, for which callers wait only as long as they may.
// Thread-safe.
class RedisAddressLookup {
 public:
  // The host and port, or the path of a Unix socket, of `options`.
  explicit RedisAddressLookup(const struct RedisOptions& options);

  // The bytes of at least one sockaddr. UNAVAILABLE if the name is unknown or the wait timed out.
  absl::StatusOr<std::vector<std::string>> Find(const RedisWait& wait);

 private:
  struct Shared;

  std::string fixed_;                     // the address if it does not depend on names
  const std::shared_ptr<Shared> shared_;  // with the thread, which may outlive this object
};

}  // namespace stagedoor::server

#endif  // STAGEDOOR_SERVER_STORE_REDIS_ADDRESS_LOOKUP_H_

#ifndef STAGEDOOR_SERVER_STORE_REDIS_SOCKET_H_
#define STAGEDOOR_SERVER_STORE_REDIS_SOCKET_H_

#include <cstddef>
#include <memory>
#include <span>
#include <string_view>

#include "absl/status/statusor.h"
#include "server/store/redis_wait.h"

namespace stagedoor::server {

// A stream to a server that never blocks. Not thread-safe.
class RedisSocket {
 public:
  virtual ~RedisSocket() = default;

  struct Progress {
    size_t bytes = 0;    // not zero if anything was done
    short wait_for = 0;  // else the events to poll for before the next attempt
  };
  // Errors of both: UNAVAILABLE, with the reason, if the connection was closed or is broken.
  virtual absl::StatusOr<Progress> Read(std::span<char> buffer) = 0;
  // `bytes` must not be empty. If nothing was written, the next call must be given at least the
  // same bytes.
  virtual absl::StatusOr<Progress> Write(std::string_view bytes) = 0;

  virtual int fd() const = 0;
};

// Connects to `address`, the bytes of a sockaddr. UNAVAILABLE, with the reason, if that fails or
// the wait timed out; those of the context.
absl::StatusOr<std::unique_ptr<RedisSocket>> ConnectSocket(std::string_view address,
                                                           const RedisWait& wait);

}  // namespace stagedoor::server

#endif  // STAGEDOOR_SERVER_STORE_REDIS_SOCKET_H_

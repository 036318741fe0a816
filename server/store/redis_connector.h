#ifndef STAGEDOOR_SERVER_STORE_REDIS_CONNECTOR_H_
#define STAGEDOOR_SERVER_STORE_REDIS_CONNECTOR_H_

#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "base/request_context.h"
#include "server/store/redis_address_lookup.h"
#include "server/store/redis_connection.h"
#include "server/store/redis_options.h"
#include "server/store/redis_tls.h"

namespace stagedoor::server {

// Opens connections to one Redis server. Thread-safe.
class RedisConnector {
 public:
  // Does not connect yet. INVALID_ARGUMENT if the options contradict each other or name a file
  // that cannot be read.
  static absl::StatusOr<std::unique_ptr<RedisConnector>> Create(RedisOptions options);

  const RedisOptions& options() const { return options_; }

  // A connection on which commands can be sent: the client has authenticated, and the database is
  // selected. UNAVAILABLE (STORE_UNAVAILABLE) with the reason; the errors of the context. See
  // RedisWait for `wake_fd`.
  absl::StatusOr<std::unique_ptr<RedisConnection>> Connect(RequestContext& context,
                                                           int wake_fd = -1);

  // OK unless the reply is an error; then UNAVAILABLE (STORE_UNAVAILABLE) with the message of the
  // server and what to do.
  absl::Status CheckReply(const RedisReply& reply) const;

 private:
  RedisConnector(RedisOptions options, std::unique_ptr<RedisTls> tls);

  absl::StatusOr<std::unique_ptr<RedisSocket>> OpenSocket(const RedisWait& wait);
  absl::Status Greet(RedisConnection& connection, const RedisWait& wait) const;

  const RedisOptions options_;
  const std::unique_ptr<RedisTls> tls_;  // null without TLS
  RedisAddressLookup addresses_;
};

}  // namespace stagedoor::server

#endif  // STAGEDOOR_SERVER_STORE_REDIS_CONNECTOR_H_

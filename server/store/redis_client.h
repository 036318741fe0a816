#ifndef STAGEDOOR_SERVER_STORE_REDIS_CLIENT_H_
#define STAGEDOOR_SERVER_STORE_REDIS_CLIENT_H_

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "base/request_context.h"
#include "server/store/redis_connection.h"
#include "server/store/redis_connector.h"
#include "server/store/redis_pool.h"
#include "server/store/redis_scripts.h"

namespace stagedoor::server {

// Runs commands on the connections of a pool. Thread-safe. The errors of all calls: UNAVAILABLE
// (STORE_UNAVAILABLE), also if the server replies with an error; those of the context.
//
// A connection that was not used for a while may have been closed, for example because the server
// was restarted. What was sent on it is then sent again on another one: always if it only reads,
// else only if the server cannot have received anything of it.
class RedisClient {
 public:
  // `connector` must outlive the client. `now` is the clock of pauses after failures.
  explicit RedisClient(RedisConnector& connector,
                       std::function<RedisPool::Clock::time_point()> now = RedisPool::Clock::now)
      : connector_(connector), pool_(connector, std::move(now)) {}

  // Runs a command that changes nothing.
  absl::StatusOr<RedisReply> Read(RequestContext& context, const RedisCommand& command);

  struct ScriptCall {
    std::vector<std::string_view> keys;
    std::vector<std::string_view> arguments;
  };
  // Runs a script once per call, all with the same number of keys, and returns the replies.
  absl::StatusOr<std::vector<RedisReply>> RunScript(RequestContext& context,
                                                    const RedisScript& script,
                                                    std::span<const ScriptCall> calls);

 private:
  // Returns the replies, of which those of scripts that the server does not know may be errors.
  absl::StatusOr<std::vector<RedisReply>> Run(RequestContext& context,
                                              std::span<const RedisCommand> commands,
                                              bool only_reads);
  absl::Status CheckReplies(RedisConnection& connection, std::span<const RedisReply> replies) const;

  RedisConnector& connector_;
  RedisPool pool_;
};

}  // namespace stagedoor::server

#endif  // STAGEDOOR_SERVER_STORE_REDIS_CLIENT_H_

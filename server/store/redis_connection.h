#ifndef STAGEDOOR_SERVER_STORE_REDIS_CONNECTION_H_
#define STAGEDOOR_SERVER_STORE_REDIS_CONNECTION_H_

#include <cstddef>
#include <deque>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "server/store/redis_reply.h"
#include "server/store/redis_socket.h"
#include "server/store/redis_wait.h"

namespace stagedoor::server {

// The words of a command, of any bytes.
using RedisCommand = std::vector<std::string_view>;

// A connection to a Redis server. After an error of any call it is closed and cannot be used any
// more. The errors of all calls: UNAVAILABLE (STORE_UNAVAILABLE) with the address; those of the
// context. Not thread-safe.
class RedisConnection {
 public:
  static constexpr size_t kMaxCommandBytes = size_t{256} << 20;

  // `address` is for messages.
  RedisConnection(std::unique_ptr<RedisSocket> socket, std::string address, size_t max_reply_bytes);

  // Sends all commands and returns their replies, some of which may be errors. Any number of
  // commands that fits kMaxCommandBytes; RESOURCE_EXHAUSTED above that.
  absl::StatusOr<std::vector<RedisReply>> Execute(std::span<const RedisCommand> commands,
                                                  const RedisWait& wait);
  // The next message of a channel that the connection subscribes to, or nothing if none arrives in
  // time.
  absl::StatusOr<std::optional<RedisReply>> Receive(const RedisWait& wait);
  // Sends a command whose reply Receive returns, among the messages.
  absl::Status Send(const RedisCommand& command, const RedisWait& wait);

  bool usable() const { return socket_ != nullptr; }
  void Close() { socket_.reset(); }
  // Whether the connection is usable and the server has not sent or closed anything since the
  // last reply.
  bool IsIdle();
  // Whether it is not usable because the server has closed the connection.
  bool closed_by_server() const { return closed_by_server_; }
  // Whether it is not usable because a reply did not arrive in time.
  bool timed_out() const { return timed_out_; }
  // Whether the server may have received anything of the last Execute.
  bool sent() const { return sent_; }

 private:
  // Sends `bytes`, then waits for `count` replies. False if the wait timed out.
  absl::StatusOr<bool> Exchange(std::string_view bytes, size_t count, const RedisWait& wait);
  // Reads what has arrived into arrived_.
  absl::StatusOr<RedisSocket::Progress> ReadSome();
  // Closes the connection, and makes `error` one of the store if it is not that of the context.
  absl::Status Fail(const absl::Status& error, const RedisWait& wait);

  std::unique_ptr<RedisSocket> socket_;  // null once closed
  const std::string address_;
  RedisReplyReader reader_;
  std::deque<RedisReply> arrived_;
  bool closed_by_server_ = false;
  bool timed_out_ = false;
  bool sent_ = false;
};

}  // namespace stagedoor::server

#endif  // STAGEDOOR_SERVER_STORE_REDIS_CONNECTION_H_

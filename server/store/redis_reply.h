#ifndef STAGEDOOR_SERVER_STORE_REDIS_REPLY_H_
#define STAGEDOOR_SERVER_STORE_REDIS_REPLY_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

struct redisReader;

namespace stagedoor::server {

// A reply of a Redis server (RESP2).
struct RedisReply {
  enum class Type { kNil, kStatus, kError, kInteger, kString, kArray };

  Type type = Type::kNil;
  std::string text;  // of a status, an error or a string
  int64_t integer = 0;
  std::vector<RedisReply> elements;

  // Whether it is the error "CODE message" with this code.
  bool HasErrorCode(std::string_view code) const;
};

// Decodes the replies in the bytes that a server sends, with hiredis. Bounds what the server may
// make it allocate. Not thread-safe.
class RedisReplyReader {
 public:
  // The limit of elements in a reply, including those of its elements.
  static constexpr size_t kMaxElements = 1024;
  // The limit of a line, which is everything but the bytes of a string.
  static constexpr size_t kMaxLineBytes = size_t{64} << 10;

  explicit RedisReplyReader(size_t max_reply_bytes);
  ~RedisReplyReader();
  RedisReplyReader(const RedisReplyReader&) = delete;
  RedisReplyReader& operator=(const RedisReplyReader&) = delete;

  // Appends bytes that arrived. Call Next until it returns nothing before the next Feed.
  void Feed(std::string_view bytes);
  // The next complete reply, if it has arrived. DATA_LOSS if the bytes are not a reply or if it
  // exceeds a limit; no reply can be read any more then.
  absl::StatusOr<std::optional<RedisReply>> Next();
  // Whether all bytes have been returned as replies.
  bool empty() const;

 private:
  struct Builder;  // what hiredis calls
  struct ReaderDeleter {
    void operator()(redisReader* reader) const;
  };

  // The bytes that hiredis has not consumed.
  std::string_view Rest() const;
  // The length of the string that is arriving, or zero if another part of a reply is. DATA_LOSS if
  // that is too long.
  absl::StatusOr<uint64_t> AnnouncedBytes() const;
  // DATA_LOSS if a reply is too large.
  absl::Status CheckSize(uint64_t bytes) const;

  const size_t max_reply_bytes_;
  uint64_t fed_ = 0;    // bytes
  uint64_t begin_ = 0;  // of the current reply, among all that were fed
  size_t elements_ = 0;
  RedisReply reply_;  // the current one, as far as it has arrived
  const std::unique_ptr<redisReader, ReaderDeleter> reader_;
};

}  // namespace stagedoor::server

#endif  // STAGEDOOR_SERVER_STORE_REDIS_REPLY_H_

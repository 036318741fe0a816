#ifndef STAGEDOOR_RESOLVER_HTTP_HTTP_FIELDS_H_
#define STAGEDOOR_RESOLVER_HTTP_HTTP_FIELDS_H_

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace stagedoor {

// Parsers of the values of header fields that an HTTP server sends. All of them take any bytes;
// nothing stands for a value that is not well-formed.

// "Content-Range" (RFC 9110, 14.4): "bytes 0-99/1000", "bytes 0-99/*" or "bytes */1000".
struct ContentRange {
  bool satisfied = false;  // whether there are first and last
  uint64_t first = 0;
  uint64_t last = 0;  // not before `first`, and within the total size
  std::optional<uint64_t> total;
};
std::optional<ContentRange> ParseContentRange(std::string_view value);

// "ETag" (RFC 9110, 8.8.3).
struct EntityTag {
  bool weak = false;
  std::string quoted;  // with its quotes, printable, at most kMaxEntityTagBytes
};
inline constexpr size_t kMaxEntityTagBytes = 1024;
std::optional<EntityTag> ParseEntityTag(std::string_view value);

// A date in the form of RFC 9110, 5.6.7, "Sun, 06 Nov 1994 08:49:37 GMT". The obsolete forms are
// not read.
std::optional<std::chrono::sys_seconds> ParseHttpDate(std::string_view value);

// "Retry-After" (RFC 9110, 10.2.3), in seconds or as a date; not negative, at most a day.
std::optional<std::chrono::seconds> ParseRetryAfter(std::string_view value,
                                                    std::chrono::sys_seconds now);

}  // namespace stagedoor

#endif  // STAGEDOOR_RESOLVER_HTTP_HTTP_FIELDS_H_

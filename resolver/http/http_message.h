#ifndef STAGEDOOR_RESOLVER_HTTP_HTTP_MESSAGE_H_
#define STAGEDOOR_RESOLVER_HTTP_HTTP_MESSAGE_H_

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "resolver/access/url.h"

namespace stagedoor {

struct HttpHeader {
  std::string name;
  std::string value;
};

// The header fields of a response, bounded while they are received.
class HttpHeaders {
 public:
  static constexpr size_t kMaxFields = 200;
  static constexpr size_t kMaxBytes = size_t{64} << 10;

  // Adds a line "Name: value", with or without its line end. Lines that are not fields are ignored.
  // False once the limits are exceeded.
  bool AddLine(std::string_view line);

  // The value of a field, whatever the case of its name. Nothing if it is missing, empty, or there
  // more than once with different values: who believes which of them is anybody's guess.
  std::optional<std::string_view> Find(std::string_view name) const;

  void Clear() { fields_.clear(); }  // the limits continue to count
  size_t size() const { return fields_.size(); }

 private:
  std::vector<HttpHeader> fields_;  // names in lower case
  size_t lines_ = 0;
  size_t bytes_ = 0;
};

struct HttpRequest {
  Url url;
  bool head_only = false;           // HEAD instead of GET
  bool put_empty = false;           // PUT of an empty body instead of GET; not redirected
  std::vector<HttpHeader> headers;  // sent wherever the request is redirected to
  // Fields such as "Authorization", which are sent only to the origin of `url`.
  std::vector<HttpHeader> credentials;
  // Whether the allow-list of URLs does not apply, because the operator's configuration leads to
  // this URL, or another check was made; redirects are not followed then.
  bool is_allowed_url = false;
  // Whether the network policy does not apply, because the configuration names the host.
  bool is_allowed_host = false;
  bool use_proxy = true;
};

struct HttpResponseHead {
  int status = 0;
  Url url;  // what answered, after redirects
  HttpHeaders headers;
};

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

#endif  // STAGEDOOR_RESOLVER_HTTP_HTTP_MESSAGE_H_

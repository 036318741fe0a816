#ifndef STAGEDOOR_RESOLVER_ACCESS_URL_H_
#define STAGEDOOR_RESOLVER_ACCESS_URL_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"

namespace stagedoor {

inline constexpr size_t kMaxUrlBytes = size_t{8} << 10;

// A normalized URL of a remote asset: http, https or s3. Two texts that a server may take for the
// same object give the same Url, and what cannot be normalized safely is rejected, so that a
// comparison of texts decides what may be read.
//
// - Scheme and host are in lower case, without a trailing dot; an IP address is in canonical form.
// - The path begins with '/', has no "." and ".." components, and is percent-encoded: what must not
//   stand in a URL is encoded, %XX stays, except that unreserved characters are decoded (RFC 3986,
//   6.2.2). A lone '%' becomes %25.
// - An s3 URL is "s3://BUCKET/KEY" with the key as it is, as the AWS command line reads it: the
//   characters '%', '?' and '#' have no meaning, and the bucket keeps its case.
struct Url {
  std::string scheme;
  std::string host;   // without brackets; the bucket of an s3 URL
  uint16_t port = 0;  // 0 for s3
  std::string path;
  std::string query;  // empty, or begins with '?'

  // "https://host", with the port if it is not the default one.
  std::string Origin() const;
  // The whole URL.
  std::string Text() const { return Origin() + path + query; }
  // The URL for messages: without the query, which may hold a signature.
  std::string Display() const { return Origin() + path; }
  // The value of the header "Host".
  std::string HostHeader() const;

  friend bool operator==(const Url&, const Url&) = default;
};

// Parses an absolute URL. INVALID_ARGUMENT for another scheme, a user name or password, a fragment,
// a host that is neither a plain name nor an IP address in its usual form, a path in which ".." is
// hidden behind an encoded separator, or a text above kMaxUrlBytes. Messages never hold the user
// name, the password and the query.
absl::StatusOr<Url> ParseUrl(std::string_view text);

// Parses a URL that may be relative to `base` (RFC 3986, 5.2), such as the header "Location"; its
// fragment is dropped. The same errors.
absl::StatusOr<Url> ParseUrlReference(const Url& base, std::string_view text);

// Any text that should be a URL, for messages: without user name, password and query.
std::string UrlForMessage(std::string_view text);

}  // namespace stagedoor

#endif  // STAGEDOOR_RESOLVER_ACCESS_URL_H_

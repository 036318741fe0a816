#ifndef STAGEDOOR_RESOLVER_ACCESS_URL_ALLOW_LIST_H_
#define STAGEDOOR_RESOLVER_ACCESS_URL_ALLOW_LIST_H_

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "resolver/access/url.h"

namespace stagedoor {

// The URL prefixes that the operator allows to be read (--allow-url), for example
// "https://assets.studio.com/show/" or "s3://bucket/prefix/". Scheme, host and port must be equal,
// the path must begin with that of the prefix, up to a '/' or its end. Queries are not compared.
// Immutable.
class UrlAllowList {
 public:
  // Allows nothing.
  UrlAllowList() = default;

  // INVALID_ARGUMENT names the prefix that is wrong: those of ParseUrl, or it has a query.
  static absl::StatusOr<UrlAllowList> Parse(std::span<const std::string> prefixes);

  bool empty() const { return prefixes_.empty(); }
  bool Allows(const Url& url) const;
  // Whether any prefix has the scheme, which is in lower case.
  bool AllowsScheme(std::string_view scheme) const;

  // PERMISSION_DENIED if the URL is not allowed.
  absl::Status Check(const Url& url) const;

  // Parses and checks: the errors of ParseUrl and Check.
  absl::StatusOr<Url> Admit(std::string_view text) const;

 private:
  std::vector<Url> prefixes_;
};

}  // namespace stagedoor

#endif  // STAGEDOOR_RESOLVER_ACCESS_URL_ALLOW_LIST_H_

#ifndef STAGEDOOR_RESOLVER_HTTP_HTTP_LOGINS_H_
#define STAGEDOOR_RESOLVER_HTTP_HTTP_LOGINS_H_

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "resolver/access/url.h"
#include "resolver/access/url_allow_list.h"
#include "resolver/http/http_message.h"

namespace stagedoor {

// How the daemon logs in to web servers (--http-login): rules "PREFIX=KIND:FILE", of which the
// first whose PREFIX contains a URL, as UrlAllowList does, applies. FILE is read for each request,
// so that it may be replaced. KIND is
//
// - "bearer": FILE has a token on its first line, which is sent as "Authorization: Bearer TOKEN";
// - "header": FILE has a header field on its first line, such as "X-Api-Key: SECRET";
// - "netrc": FILE is a netrc file, of which the entry of the host is sent as "Authorization:
// Basic".
//
// The content of FILE must never get into a message or a log. Immutable.
class HttpLogins {
 public:
  HttpLogins() = default;  // logs in nowhere

  // INVALID_ARGUMENT says what is wrong with a rule.
  static absl::StatusOr<HttpLogins> Parse(std::span<const std::string> rules);

  // The header field to send with a request for `url`; nothing if no rule applies.
  // FAILED_PRECONDITION, naming the file, if it cannot be read or has no login.
  absl::StatusOr<std::optional<HttpHeader>> HeaderFor(const Url& url) const;

 private:
  enum class Kind { kBearer, kHeader, kNetrc };
  struct Rule {
    UrlAllowList prefix;
    Kind kind = Kind::kBearer;
    std::string file;
  };

  static absl::StatusOr<HttpHeader> ReadLogin(const Rule& rule, const Url& url);

  std::vector<Rule> rules_;
};

// The login and password of a host in the text of a netrc file: that of its `machine`, else that of
// `default`; nothing if there is neither.
struct NetrcEntry {
  std::string login, password;
};
std::optional<NetrcEntry> FindInNetrc(std::string_view text, std::string_view host);

}  // namespace stagedoor

#endif  // STAGEDOOR_RESOLVER_HTTP_HTTP_LOGINS_H_

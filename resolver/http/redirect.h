#ifndef STAGEDOOR_RESOLVER_HTTP_REDIRECT_H_
#define STAGEDOOR_RESOLVER_HTTP_REDIRECT_H_

#include <string_view>

#include "absl/status/statusor.h"
#include "resolver/access/url.h"
#include "resolver/access/url_allow_list.h"

namespace stagedoor {

// Where the header "Location" of a response of `from` leads to. PERMISSION_DENIED if that is not in
// the allow-list, not HTTP, or http after https; INVALID_ARGUMENT if it is not a valid URL;
// ABORTED if it is `from` itself.
absl::StatusOr<Url> RedirectTarget(const Url& from, std::string_view location,
                                   const UrlAllowList& allowed);

}  // namespace stagedoor

#endif  // STAGEDOOR_RESOLVER_HTTP_REDIRECT_H_

#include "resolver/access/url_allow_list.h"

#include <algorithm>
#include <utility>

#include "base/status.h"
#include "base/status_macros.h"

namespace stagedoor {

absl::StatusOr<UrlAllowList> UrlAllowList::Parse(std::span<const std::string> prefixes) {
  UrlAllowList list;
  for (const std::string& prefix : prefixes) {
    SD_ASSIGN_OR_RETURN(Url url, ParseUrl(prefix));
    if (!url.query.empty()) {
      return InvalidArgumentError("the URL prefix ", Quoted(url.Display()),
                                  " must not have a query");
    }
    list.prefixes_.push_back(std::move(url));
  }
  return list;
}

bool UrlAllowList::Allows(const Url& url) const {
  return std::any_of(prefixes_.begin(), prefixes_.end(), [&url](const Url& prefix) {
    if (url.scheme != prefix.scheme || url.host != prefix.host || url.port != prefix.port ||
        !url.path.starts_with(prefix.path)) {
      return false;
    }
    return prefix.path.back() == '/' || url.path.size() == prefix.path.size() ||
           url.path[prefix.path.size()] == '/';
  });
}

bool UrlAllowList::AllowsScheme(std::string_view scheme) const {
  return std::any_of(prefixes_.begin(), prefixes_.end(),
                     [scheme](const Url& prefix) { return prefix.scheme == scheme; });
}

absl::Status UrlAllowList::Check(const Url& url) const {
  if (Allows(url)) return absl::OkStatus();
  return PermissionDeniedError("cannot read ", Quoted(url.Display()),
                               ": it is not below an allowed URL; check --allow-url");
}

absl::StatusOr<Url> UrlAllowList::Admit(std::string_view text) const {
  SD_ASSIGN_OR_RETURN(Url url, ParseUrl(text));
  SD_RETURN_IF_ERROR(Check(url));
  return url;
}

}  // namespace stagedoor

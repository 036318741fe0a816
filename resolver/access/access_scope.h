#ifndef STAGEDOOR_RESOLVER_ACCESS_ACCESS_SCOPE_H_
#define STAGEDOOR_RESOLVER_ACCESS_ACCESS_SCOPE_H_

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "resolver/access/url_allow_list.h"

namespace stagedoor {

// The assets that a client may read: those at or below the prefixes that it was granted. Part of
// the ResolverContext of its stages, so that clients of different scopes never share what was
// composed for one of them. Immutable and thread-safe.
class AccessScope {
 public:
  // A prefix is an absolute path ("/show/shot"), a URL prefix (as in UrlAllowList), or, for
  // resolver services, a prefix of the identifier ("studio://" or "studio://show"). Prefixes end at
  // a component: "/show" does not include "/show2". The prefix of a symbolic link includes what is
  // below its target. INVALID_ARGUMENT names the prefix that is wrong.
  static absl::StatusOr<std::shared_ptr<const AccessScope>> Create(
      std::span<const std::string> prefixes);

  // Whether the scope includes an identifier or resolved path, by its name alone. Packages are to
  // be asked for by the path of the package. False for relative paths.
  bool IncludesName(std::string_view path) const;
  // Whether it includes a file, given by its absolute path with all links resolved.
  bool IncludesFile(std::string_view real_path) const;

  // Equal for equal sets of prefixes.
  const std::string& fingerprint() const { return fingerprint_; }

 private:
  AccessScope() = default;

  std::vector<std::string> directories_;  // as given and with links resolved
  UrlAllowList urls_;
  std::vector<std::string> identifiers_;  // with the scheme in lower case
  std::string fingerprint_;
};

}  // namespace stagedoor

#endif  // STAGEDOOR_RESOLVER_ACCESS_ACCESS_SCOPE_H_

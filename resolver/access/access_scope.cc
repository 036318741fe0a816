#include "resolver/access/access_scope.h"

#include <limits.h>
#include <stdlib.h>

#include <algorithm>
#include <set>
#include <utility>

#include "base/fingerprinter.h"
#include "base/status.h"
#include "base/status_macros.h"
#include "base/strings.h"
#include "resolver/asset_path.h"

namespace stagedoor {
namespace {

bool IsUrlScheme(std::string_view scheme) {
  return scheme == "http" || scheme == "https" || scheme == "s3";
}

// The text with its scheme in lower case.
std::string LowerScheme(std::string_view text, std::string_view scheme) {
  return AsciiLower(scheme).append(text.substr(scheme.size()));
}

// Whether `path` is `prefix` or below it.
bool Below(std::string_view path, std::string_view prefix) {
  if (!path.starts_with(prefix)) return false;
  return prefix.ends_with('/') || path.size() == prefix.size() || path[prefix.size()] == '/';
}

bool BelowAny(std::string_view path, const std::vector<std::string>& prefixes) {
  return std::any_of(prefixes.begin(), prefixes.end(),
                     [path](const std::string& prefix) { return Below(path, prefix); });
}

// Whether a service may take the identifier for one that is not below its own text.
bool HasDotDot(std::string_view identifier) {
  for (size_t at = 0; (at = identifier.find("..", at)) != identifier.npos; at += 2) {
    const char before = at == 0 ? '/' : identifier[at - 1];
    const char after = at + 2 == identifier.size() ? '/' : identifier[at + 2];
    if ((before == '/' || before == ':' || before == '\\') && (after == '/' || after == '\\')) {
      return true;
    }
  }
  return identifier.find('%') != identifier.npos;  // may hide a separator
}

}  // namespace

absl::StatusOr<std::shared_ptr<const AccessScope>> AccessScope::Create(
    std::span<const std::string> prefixes) {
  std::shared_ptr<AccessScope> scope(new AccessScope());
  std::vector<std::string> urls;
  for (const std::string& prefix : prefixes) {
    const std::string scheme = AsciiLower(UriScheme(prefix));
    if (IsUrlScheme(scheme)) {
      urls.push_back(prefix);
    } else if (!scheme.empty()) {
      if (HasDotDot(prefix)) {
        return InvalidArgumentError("the prefix ", Quoted(prefix), " must not have \"..\" or '%'");
      }
      scope->identifiers_.push_back(LowerScheme(prefix, scheme));
    } else if (prefix.starts_with('/')) {
      scope->directories_.push_back(NormalizeAssetPath(prefix));
      char real[PATH_MAX];
      if (realpath(prefix.c_str(), real) != nullptr) scope->directories_.emplace_back(real);
    } else {
      return InvalidArgumentError("the prefix ", Quoted(prefix),
                                  " must be an absolute path or begin with a URI scheme");
    }
  }
  SD_ASSIGN_OR_RETURN(scope->urls_, UrlAllowList::Parse(urls));
  Fingerprinter fingerprinter;
  // With the directories, since links may lead elsewhere by the next time.
  std::set<std::string> all(prefixes.begin(), prefixes.end());
  all.insert(scope->directories_.begin(), scope->directories_.end());
  for (const std::string& prefix : all) fingerprinter.Add(prefix);
  scope->fingerprint_ = fingerprinter.Finish();
  return scope;
}

bool AccessScope::IncludesName(std::string_view path) const {
  const std::string_view scheme = UriScheme(path);
  if (scheme.empty()) {
    return path.starts_with('/') && BelowAny(NormalizeAssetPath(path), directories_);
  }
  if (IsUrlScheme(AsciiLower(scheme))) {
    // Backends normalize paths before they parse them, which also removes empty components and
    // takes a ".." in a query for one of the path.
    const auto url = ParseUrl(path), normalized = ParseUrl(NormalizeAssetPath(path));
    return url.ok() && urls_.Allows(*url) && normalized.ok() && urls_.Allows(*normalized);
  }
  const std::string lowered = LowerScheme(path, scheme);
  return std::any_of(identifiers_.begin(), identifiers_.end(),
                     [&lowered](const std::string& prefix) {
                       if (!Below(lowered, prefix)) return false;
                       const bool whole_scheme =
                           prefix.find_first_not_of('/', prefix.find(':') + 1) == prefix.npos;
                       return whole_scheme || !HasDotDot(lowered);
                     });
}

bool AccessScope::IncludesFile(std::string_view real_path) const {
  return real_path.starts_with('/') && BelowAny(real_path, directories_);
}

}  // namespace stagedoor

#include "resolver/http/redirect.h"

#include "base/status.h"

namespace stagedoor {

absl::StatusOr<Url> RedirectTarget(const Url& from, std::string_view location,
                                   const UrlAllowList& allowed) {
  absl::StatusOr<Url> target = ParseUrlReference(from, location);
  if (!target.ok()) return Annotate(target.status(), "the server's redirect is not valid");
  if (target->scheme == "s3") {
    return PermissionDeniedError("it redirects to ", Quoted(target->Display()),
                                 ", which is not an HTTP URL");
  }
  if (from.scheme == "https" && target->scheme == "http") {
    return PermissionDeniedError("it redirects from https to ", Quoted(target->Display()),
                                 ", which is not secure");
  }
  if (!allowed.Allows(*target)) {
    return PermissionDeniedError("it redirects to ", Quoted(target->Display()),
                                 ", which is not below an allowed URL; check --allow-url");
  }
  if (*target == from) return AbortedError("it redirects to itself");
  return target;
}

}  // namespace stagedoor

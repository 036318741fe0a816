#ifndef STAGEDOOR_RESOLVER_FAIL_IF_OUTAGE_H_
#define STAGEDOOR_RESOLVER_FAIL_IF_OUTAGE_H_

#include "absl/status/status.h"
#include "base/request_context.h"

namespace stagedoor {

// Ends the request if an asset could not be read for a reason that passes: a store that is
// unavailable, a cache that is full. A scene is composed without assets that are missing or
// malformed, and may be kept like that; without an asset that is merely out of reach it would be
// wrong. Returns `status`.
inline absl::Status FailIfOutage(RequestContext& context, const absl::Status& status) {
  const absl::StatusCode code = status.code();
  if (code == absl::StatusCode::kUnavailable || code == absl::StatusCode::kResourceExhausted) {
    context.Fail(status);
  }
  return status;
}

}  // namespace stagedoor

#endif  // STAGEDOOR_RESOLVER_FAIL_IF_OUTAGE_H_

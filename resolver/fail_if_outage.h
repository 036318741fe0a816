#ifndef STAGEDOOR_RESOLVER_FAIL_IF_OUTAGE_H_
#define STAGEDOOR_RESOLVER_FAIL_IF_OUTAGE_H_

#include "absl/status/status.h"
#include "base/request_context.h"

namespace stagedoor {

// Whether a store gave no answer about an asset, so that what was known before may still hold:
// UNAVAILABLE, or FAILED_PRECONDITION if the configuration must be changed first.
inline bool IsWithoutAnswer(const absl::Status& status) {
  return status.code() == absl::StatusCode::kUnavailable ||
         status.code() == absl::StatusCode::kFailedPrecondition;
}

// Ends the request if an asset could not be read for a reason that does not lie in the asset: a
// store that is unavailable or configured wrongly, a cache that is full. A scene is composed
// without assets that are missing or malformed, and may be kept like that; without an asset that is
// merely out of reach it would be wrong. Returns `status`.
inline absl::Status FailIfOutage(RequestContext& context, const absl::Status& status) {
  if (IsWithoutAnswer(status) || status.code() == absl::StatusCode::kResourceExhausted) {
    context.Fail(status);
  }
  return status;
}

}  // namespace stagedoor

#endif  // STAGEDOOR_RESOLVER_FAIL_IF_OUTAGE_H_

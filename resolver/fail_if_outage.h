#ifndef STAGEDOOR_RESOLVER_FAIL_IF_OUTAGE_H_
#define STAGEDOOR_RESOLVER_FAIL_IF_OUTAGE_H_

#include "absl/status/status.h"
#include "absl/strings/cord.h"
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

// Marks the DATA_LOSS of an asset whose content is gone because its store has another version of
// it by now, or says so. Unlike damaged content, that says nothing about the scene: the asset is to
// be opened again, and if that does not help, the request must fail.
inline absl::Status AsReplaced(absl::Status status) {
  status.SetPayload("stagedoor/replaced", absl::Cord());
  return status;
}
inline bool IsReplaced(const absl::Status& status) {
  return status.GetPayload("stagedoor/replaced").has_value();
}

// Marks an error of that kind if the store also says that the version is current: its servers
// disagree, so that another one may deliver it.
inline absl::Status AsDisputed(absl::Status status) {
  status.SetPayload("stagedoor/disputed", absl::Cord());
  return status;
}
inline bool IsDisputed(const absl::Status& status) {
  return status.GetPayload("stagedoor/disputed").has_value();
}

}  // namespace stagedoor

#endif  // STAGEDOOR_RESOLVER_FAIL_IF_OUTAGE_H_

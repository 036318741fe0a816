#ifndef STAGEDOOR_BASE_STATUS_H_
#define STAGEDOOR_BASE_STATUS_H_

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "base/strings.h"

namespace stagedoor {

// Makes a status from a std::string_view (Debian's absl::string_view is a different type).
absl::Status MakeStatus(absl::StatusCode code, std::string_view message);

// The message of a status as a std::string_view, valid as long as `status`.
std::string_view Message(const absl::Status& status);

// `status` with "context: " in front of its message. The code and payloads are kept. OK stays OK.
absl::Status Annotate(const absl::Status& status, std::string_view context);

// `status` with the advice to retry after `delay`, and that advice. The server sends it as
// google.rpc.RetryInfo.
absl::Status WithRetryDelay(absl::Status status, std::chrono::milliseconds delay);
std::optional<std::chrono::milliseconds> RetryDelay(const absl::Status& status);

// InvalidArgumentError("unknown type ", Quoted(name)): the arguments are those of Concat.
template <typename... Args>
absl::Status InvalidArgumentError(const Args&... args) {
  return MakeStatus(absl::StatusCode::kInvalidArgument, Concat(args...));
}
template <typename... Args>
absl::Status NotFoundError(const Args&... args) {
  return MakeStatus(absl::StatusCode::kNotFound, Concat(args...));
}
template <typename... Args>
absl::Status PermissionDeniedError(const Args&... args) {
  return MakeStatus(absl::StatusCode::kPermissionDenied, Concat(args...));
}
template <typename... Args>
absl::Status ResourceExhaustedError(const Args&... args) {
  return MakeStatus(absl::StatusCode::kResourceExhausted, Concat(args...));
}
template <typename... Args>
absl::Status FailedPreconditionError(const Args&... args) {
  return MakeStatus(absl::StatusCode::kFailedPrecondition, Concat(args...));
}
template <typename... Args>
absl::Status AbortedError(const Args&... args) {
  return MakeStatus(absl::StatusCode::kAborted, Concat(args...));
}
template <typename... Args>
absl::Status UnimplementedError(const Args&... args) {
  return MakeStatus(absl::StatusCode::kUnimplemented, Concat(args...));
}
template <typename... Args>
absl::Status InternalError(const Args&... args) {
  return MakeStatus(absl::StatusCode::kInternal, Concat(args...));
}
template <typename... Args>
absl::Status UnavailableError(const Args&... args) {
  return MakeStatus(absl::StatusCode::kUnavailable, Concat(args...));
}
template <typename... Args>
absl::Status DataLossError(const Args&... args) {
  return MakeStatus(absl::StatusCode::kDataLoss, Concat(args...));
}
template <typename... Args>
absl::Status CancelledError(const Args&... args) {
  return MakeStatus(absl::StatusCode::kCancelled, Concat(args...));
}
template <typename... Args>
absl::Status DeadlineExceededError(const Args&... args) {
  return MakeStatus(absl::StatusCode::kDeadlineExceeded, Concat(args...));
}

}  // namespace stagedoor

#endif  // STAGEDOOR_BASE_STATUS_H_

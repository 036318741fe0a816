#ifndef STAGEDOOR_CLIENT_SDK_ERROR_H_
#define STAGEDOOR_CLIENT_SDK_ERROR_H_

#include <string>
#include <string_view>

#include "absl/status/status.h"

namespace stagedoor::sdk {

// Reasons that the library itself gives. All others are those of v1::ErrorReason, without prefix.
inline constexpr std::string_view kNoValue = "NO_VALUE";            // nothing is authored
inline constexpr std::string_view kValueBlocked = "VALUE_BLOCKED";  // a layer blocks the value
inline constexpr std::string_view kWrongType = "WRONG_TYPE";        // the value is not a T

// The details of a failure, from the library or the daemon. All text may be empty but the message.
struct Error {
  absl::StatusCode code = absl::StatusCode::kUnknown;
  std::string reason;   // stable, for programs to act on, such as "PRIM_NOT_FOUND"
  std::string message;  // for people
  std::string path;     // the scene path concerned
  std::string asset;    // the layer or other asset concerned
  std::string hint;     // what to do about it
};

// The details of a status that is not OK.
Error DescribeError(const absl::Status& status);

// Whether a call failed because no daemon can be reached, rather than by the daemon's answer.
bool IsUnreachable(const absl::Status& status);
// Whether a call failed because the daemon does not know the stage any more.
bool IsLostLease(const absl::Status& status);

}  // namespace stagedoor::sdk

#endif  // STAGEDOOR_CLIENT_SDK_ERROR_H_

#ifndef STAGEDOOR_CLIENT_CC_ERROR_REASON_H_
#define STAGEDOOR_CLIENT_CC_ERROR_REASON_H_

#include <string>

#include "absl/status/status.h"

namespace stagedoor {

// The stable reason of a server error: the name of a v1::ErrorReason without its prefix, such as
// "LEASE_EXPIRED"; of a newer daemon, possibly one that this version does not know. Empty if there
// is none.
std::string ErrorReason(const absl::Status& status);

// The type URL of the payload that holds it, a google.rpc.ErrorInfo.
inline constexpr char kErrorInfoUrl[] = "type.googleapis.com/google.rpc.ErrorInfo";

}  // namespace stagedoor

#endif  // STAGEDOOR_CLIENT_CC_ERROR_REASON_H_

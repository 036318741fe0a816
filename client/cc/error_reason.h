#ifndef STAGEDOOR_CLIENT_CC_ERROR_REASON_H_
#define STAGEDOOR_CLIENT_CC_ERROR_REASON_H_

#include <map>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "stagedoor/v1/errors.pb.h"

namespace stagedoor {

// The stable reason of a server error: the name of a v1::ErrorReason without its prefix, such as
// "LEASE_EXPIRED"; of a newer daemon, possibly one that this version does not know. Empty if there
// is none.
std::string ErrorReason(const absl::Status& status);

// The metadata of a server error, by name: "path", "asset", "layer" and others. Empty if it has
// none.
std::map<std::string, std::string> ErrorMetadata(const absl::Status& status);

// The name of a reason without its prefix; empty for UNSPECIFIED, and for one that this version
// does not know.
std::string ReasonName(v1::ErrorReason reason);
// `status` with a reason, and unless it is empty the path that it is about. Unchanged if it is OK
// or the reason is empty.
absl::Status WithReason(absl::Status status, std::string_view reason, std::string_view path);

// Whether a stream broke after it had brought something: the client has not repeated it, and the
// caller may, if it drops what it has got.
bool IsBrokenStream(const absl::Status& status);
// `status`, marked as that of a broken stream.
absl::Status BrokenStream(absl::Status status);

// The type URL of the payload that holds it, a google.rpc.ErrorInfo.
inline constexpr char kErrorInfoUrl[] = "type.googleapis.com/google.rpc.ErrorInfo";

}  // namespace stagedoor

#endif  // STAGEDOOR_CLIENT_CC_ERROR_REASON_H_

#ifndef STAGEDOOR_CLIENT_CC_REQUEST_TEXT_H_
#define STAGEDOOR_CLIENT_CC_REQUEST_TEXT_H_

#include "absl/status/status.h"

namespace google::protobuf {
class Message;
}  // namespace google::protobuf

namespace stagedoor {

// INVALID_ARGUMENT (INVALID_PATH or INVALID_FIELD) if a text of a request, such as a path, is not
// UTF-8: the daemon could not read the request, and Protobuf would write a line to standard error.
absl::Status CheckText(const google::protobuf::Message& request);

}  // namespace stagedoor

#endif  // STAGEDOOR_CLIENT_CC_REQUEST_TEXT_H_

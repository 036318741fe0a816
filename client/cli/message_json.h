#ifndef STAGEDOOR_CLIENT_CLI_MESSAGE_JSON_H_
#define STAGEDOOR_CLIENT_CLI_MESSAGE_JSON_H_

#include <google/protobuf/message.h>

#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "client/cli/output.h"

namespace stagedoor {

// A message of the API in the JSON form of Protocol Buffers, on one line, with the names of the
// protos and all fields that can be 0.
absl::StatusOr<std::string> MessageJson(const google::protobuf::Message& message);

// Writes it as a line.
absl::Status PrintJson(const google::protobuf::Message& message, Output& output);

}  // namespace stagedoor

#endif  // STAGEDOOR_CLIENT_CLI_MESSAGE_JSON_H_

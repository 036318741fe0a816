#include "client/cli/message_json.h"

#include <google/protobuf/util/json_util.h>

#include "base/status.h"
#include "base/status_macros.h"

namespace stagedoor {

absl::StatusOr<std::string> MessageJson(const google::protobuf::Message& message) {
  google::protobuf::util::JsonPrintOptions options;
  options.preserve_proto_field_names = true;
  options.always_print_primitive_fields = true;
  std::string json;
  const auto status = google::protobuf::util::MessageToJsonString(message, &json, options);
  if (!status.ok()) return InternalError("cannot print the reply: ", status.ToString());
  return json;
}

absl::Status PrintJson(const google::protobuf::Message& message, Output& output) {
  SD_ASSIGN_OR_RETURN(const std::string json, MessageJson(message));
  output.Line(json);
  return absl::OkStatus();
}

}  // namespace stagedoor

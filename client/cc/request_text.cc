#include "client/cc/request_text.h"

#include <google/protobuf/descriptor.h>
#include <google/protobuf/message.h>

#include <string>
#include <vector>

#include "base/status.h"
#include "base/status_macros.h"
#include "base/strings.h"
#include "client/cc/error_reason.h"

namespace stagedoor {
namespace {

using google::protobuf::FieldDescriptor;
using google::protobuf::Reflection;

absl::Status CheckOne(const std::string& text, const FieldDescriptor& field) {
  if (IsValidUtf8(text)) return absl::OkStatus();
  const std::string& name = field.name();
  const bool is_path = name.find("path") != std::string::npos || name == "roots";
  return WithReason(InvalidArgumentError("the field ", Quoted(name),
                                         " of the request is not UTF-8 text: ", Quoted(text)),
                    is_path ? "INVALID_PATH" : "INVALID_FIELD", "");
}

absl::Status CheckStrings(const google::protobuf::Message& message, const FieldDescriptor& field) {
  const Reflection& reflection = *message.GetReflection();
  std::string scratch;
  if (!field.is_repeated()) {
    return CheckOne(reflection.GetStringReference(message, &field, &scratch), field);
  }
  for (int i = 0, size = reflection.FieldSize(message, &field); i < size; ++i) {
    SD_RETURN_IF_ERROR(
        CheckOne(reflection.GetRepeatedStringReference(message, &field, i, &scratch), field));
  }
  return absl::OkStatus();
}

absl::Status CheckMessages(const google::protobuf::Message& message, const FieldDescriptor& field) {
  const Reflection& reflection = *message.GetReflection();
  if (!field.is_repeated()) return CheckText(reflection.GetMessage(message, &field));
  for (int i = 0, size = reflection.FieldSize(message, &field); i < size; ++i) {
    SD_RETURN_IF_ERROR(CheckText(reflection.GetRepeatedMessage(message, &field, i)));
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status CheckText(const google::protobuf::Message& request) {
  std::vector<const FieldDescriptor*> fields;  // those that are set
  request.GetReflection()->ListFields(request, &fields);
  for (const FieldDescriptor* const field : fields) {
    if (field->type() == FieldDescriptor::TYPE_STRING) {
      SD_RETURN_IF_ERROR(CheckStrings(request, *field));
    } else if (field->cpp_type() == FieldDescriptor::CPPTYPE_MESSAGE) {
      SD_RETURN_IF_ERROR(CheckMessages(request, *field));
    }
  }
  return absl::OkStatus();
}

}  // namespace stagedoor

#include "server/services/enum_validator.h"

#include <utility>

#include "base/status_macros.h"
#include "base/strings.h"
#include "server/error_info.h"

namespace stagedoor::server {
namespace {

using google::protobuf::Descriptor;
using google::protobuf::FieldDescriptor;
using google::protobuf::Message;
using google::protobuf::Reflection;

absl::Status CheckNumber(const FieldDescriptor& field, int number, const std::string& prefix) {
  const bool known = field.enum_type()->FindValueByNumber(number) != nullptr;
  if (known && (number != 0 || !field.is_repeated())) return absl::OkStatus();
  return InvalidFieldError(
      prefix + field.name(), Concat(number),
      Concat(number, " is not a ", field.enum_type()->name(), " allowed in requests"));
}

absl::Status CheckEnum(const Message& message, const FieldDescriptor& field,
                       const std::string& prefix) {
  const Reflection& reflection = *message.GetReflection();
  if (!field.is_repeated()) {
    return CheckNumber(field, reflection.GetEnumValue(message, &field), prefix);
  }
  for (int i = 0; i < reflection.FieldSize(message, &field); ++i) {
    SD_RETURN_IF_ERROR(
        CheckNumber(field, reflection.GetRepeatedEnumValue(message, &field, i), prefix));
  }
  return absl::OkStatus();
}

}  // namespace

EnumValidator::EnumValidator(const Descriptor& type) : root_(NodeOf(type)) {
  RemoveNodesWithoutEnums();
}

EnumValidator::Node* EnumValidator::NodeOf(const Descriptor& type) {
  std::unique_ptr<Node>& known = nodes_[&type];
  if (known != nullptr) return known.get();
  known = std::make_unique<Node>();
  Node* const node = known.get();  // the map may move what it holds
  for (int i = 0; i < type.field_count(); ++i) {
    const FieldDescriptor* field = type.field(i);
    if (field->cpp_type() == FieldDescriptor::CPPTYPE_ENUM) node->enums.push_back(field);
    if (field->cpp_type() != FieldDescriptor::CPPTYPE_MESSAGE) continue;
    node->messages.push_back({field, NodeOf(*field->message_type())});
  }
  node->has_enums = !node->enums.empty();
  return node;
}

void EnumValidator::RemoveNodesWithoutEnums() {
  for (bool changed = true; changed;) {
    changed = false;
    for (const auto& [type, node] : nodes_) {
      for (const Within& within : node->messages) {
        if (node->has_enums || !within.node->has_enums) continue;
        node->has_enums = changed = true;
      }
    }
  }
  for (const auto& [type, node] : nodes_) {
    std::erase_if(node->messages, [](const Within& within) { return !within.node->has_enums; });
  }
}

absl::Status EnumValidator::Check(const Message& message, const std::string& prefix) const {
  return CheckNode(*root_, message, prefix);
}

// As deep as the message nests, which protobuf limits to 100 levels when it is parsed.
absl::Status EnumValidator::CheckNode(const Node& node, const Message& message,
                                      const std::string& prefix) {
  for (const FieldDescriptor* field : node.enums) {
    SD_RETURN_IF_ERROR(CheckEnum(message, *field, prefix));
  }
  const Reflection& reflection = *message.GetReflection();
  for (const Within& within : node.messages) {
    const FieldDescriptor* field = within.field;
    if (!field->is_repeated() && !reflection.HasField(message, field)) continue;
    const int count = field->is_repeated() ? reflection.FieldSize(message, field) : 1;
    if (count == 0) continue;
    const std::string inner = Concat(prefix, field->name(), ".");
    for (int i = 0; i < count; ++i) {
      const Message& held = field->is_repeated() ? reflection.GetRepeatedMessage(message, field, i)
                                                 : reflection.GetMessage(message, field);
      SD_RETURN_IF_ERROR(CheckNode(*within.node, held, inner));
    }
  }
  return absl::OkStatus();
}

}  // namespace stagedoor::server

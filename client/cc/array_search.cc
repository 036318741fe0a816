#include "client/cc/array_search.h"

#include <set>

namespace stagedoor {
namespace {

using google::protobuf::Descriptor;
using google::protobuf::FieldDescriptor;
using google::protobuf::Reflection;

// Whether PackedValues are reachable from `type`.
bool CanReachArrays(const Descriptor* type, std::set<const Descriptor*>* seen) {
  if (type == v1::PackedValues::descriptor()) return true;
  if (!seen->insert(type).second) return false;
  for (int i = 0; i < type->field_count(); ++i) {
    const Descriptor* part = type->field(i)->message_type();
    if (part != nullptr && CanReachArrays(part, seen)) return true;
  }
  return false;
}

}  // namespace

const std::vector<const FieldDescriptor*>& ArraySearch::FieldsToSearch(const Descriptor* type) {
  const auto [found, fresh] = fields_.try_emplace(type);
  if (!fresh) return found->second;
  for (int i = 0; i < type->field_count(); ++i) {
    std::set<const Descriptor*> seen;
    const Descriptor* part = type->field(i)->message_type();
    if (part != nullptr && CanReachArrays(part, &seen)) found->second.push_back(type->field(i));
  }
  return found->second;
}

void ArraySearch::ForEach(google::protobuf::Message* message, const Found& found) {
  if (message->GetDescriptor() == v1::PackedValues::descriptor()) {
    return found(static_cast<v1::PackedValues*>(message));
  }
  const Reflection* reflection = message->GetReflection();
  for (const FieldDescriptor* field : FieldsToSearch(message->GetDescriptor())) {
    if (!field->is_repeated()) {
      if (reflection->HasField(*message, field)) {
        ForEach(reflection->MutableMessage(message, field), found);
      }
      continue;
    }
    const int size = reflection->FieldSize(*message, field);
    for (int i = 0; i < size; ++i) {
      ForEach(reflection->MutableRepeatedMessage(message, field, i), found);
    }
  }
}

}  // namespace stagedoor

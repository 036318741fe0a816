#include "server/upstream/stage_fields.h"

#include <google/protobuf/descriptor.h>

namespace stagedoor::server {
namespace {

using google::protobuf::DynamicCastToGenerated;
using google::protobuf::FieldDescriptor;
using google::protobuf::Message;

// The fields that lead to a stage, in requests, in StageSource and in ClipSet.
constexpr const char* kStageFields[] = {"stage", "open", "source", "clip_set"};

// The set message field of a name; null if there is none.
const FieldDescriptor* SetField(const Message& message, const char* name) {
  const FieldDescriptor* const field = message.GetDescriptor()->FindFieldByName(name);
  const bool is_message = field != nullptr && !field->is_repeated() &&
                          field->cpp_type() == FieldDescriptor::CPPTYPE_MESSAGE;
  return is_message && message.GetReflection()->HasField(message, field) ? field : nullptr;
}

}  // namespace

// Both recurse as deep as the messages of the API are nested: three levels.

v1::StageRef* FindStageRef(Message* request) {
  if (auto* const ref = DynamicCastToGenerated<v1::StageRef>(request)) return ref;
  for (const char* const name : kStageFields) {
    const FieldDescriptor* const field = SetField(*request, name);
    if (field == nullptr) continue;
    Message* const part = request->GetReflection()->MutableMessage(request, field);
    if (v1::StageRef* const ref = FindStageRef(part)) return ref;
  }
  return nullptr;
}

const v1::OpenStageRequest* FindOpenRequest(const Message& request) {
  if (const auto* const open = DynamicCastToGenerated<v1::OpenStageRequest>(&request)) return open;
  for (const char* const name : kStageFields) {
    const FieldDescriptor* const field = SetField(request, name);
    if (field == nullptr) continue;
    const Message& part = request.GetReflection()->GetMessage(request, field);
    if (const v1::OpenStageRequest* const open = FindOpenRequest(part)) return open;
  }
  return nullptr;
}

v1::DigestOptions* FindDigestOptions(Message* request) {
  const FieldDescriptor* const field = SetField(*request, "digest_options");
  if (field == nullptr) return nullptr;
  return DynamicCastToGenerated<v1::DigestOptions>(
      request->GetReflection()->MutableMessage(request, field));
}

bool HasText(const Message& request, const char* name) {
  const FieldDescriptor* const field = request.GetDescriptor()->FindFieldByName(name);
  return field != nullptr && field->cpp_type() == FieldDescriptor::CPPTYPE_STRING &&
         !field->is_repeated() && !request.GetReflection()->GetString(request, field).empty();
}

}  // namespace stagedoor::server

// The requests and replies that were recorded when a method was released (wire_v1.txt, made by
// record_wire) can still be read: none of their bytes is an unknown field, and they mean what they
// are written as again.
#include <google/protobuf/unknown_field_set.h>
#include <google/protobuf/util/message_differencer.h>
#include <gtest/gtest.h>

#include <fstream>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "absl/strings/escaping.h"
#include "base/strings.h"
#include "server/testing/generic_call.h"

namespace stagedoor::server {
namespace {

using google::protobuf::FieldDescriptor;
using google::protobuf::Message;
using google::protobuf::MessageFactory;
using google::protobuf::MethodDescriptor;

const MethodDescriptor* FindMethod(const std::string& name) {
  for (const MethodDescriptor* method : AllMethods()) {
    if (Concat(method->service()->name(), "/", method->name()) == name) return method;
  }
  return nullptr;
}

// The full name of the first message, of those in `message`, that has unknown fields.
std::string UnknownIn(const Message& message) {
  const auto& reflection = *message.GetReflection();
  if (!reflection.GetUnknownFields(message).empty()) return message.GetTypeName();
  std::vector<const FieldDescriptor*> fields;
  reflection.ListFields(message, &fields);
  for (const FieldDescriptor* field : fields) {
    if (field->cpp_type() != FieldDescriptor::CPPTYPE_MESSAGE) continue;
    const int count = field->is_repeated() ? reflection.FieldSize(message, field) : 1;
    for (int i = 0; i < count; ++i) {
      const std::string unknown =
          UnknownIn(field->is_repeated() ? reflection.GetRepeatedMessage(message, field, i)
                                         : reflection.GetMessage(message, field));
      if (!unknown.empty()) return unknown;
    }
  }
  return "";
}

void ExpectReadable(const google::protobuf::Descriptor& type, const std::string& bytes) {
  const std::unique_ptr<Message> message(
      MessageFactory::generated_factory()->GetPrototype(&type)->New());
  ASSERT_TRUE(message->ParseFromString(bytes)) << type.full_name();
  EXPECT_EQ(UnknownIn(*message), "") << type.full_name();
  const std::unique_ptr<Message> again(message->New());
  ASSERT_TRUE(again->ParseFromString(message->SerializeAsString()));
  EXPECT_EQ(message->SerializeAsString().size(), bytes.size())
      << type.full_name() << ": a field has lost its presence or its type";
}

TEST(WireCompatibilityTest, RecordedMessagesAreReadable) {
  std::ifstream file("tests/server/wire_v1.txt");
  ASSERT_TRUE(file.good());
  std::set<const MethodDescriptor*> recorded;
  const MethodDescriptor* method = nullptr;
  for (std::string line; std::getline(file, line);) {
    if (line[0] != '>' && line[0] != '<') {
      SCOPED_TRACE(line);
      method = FindMethod(line.substr(line.find(' ') + 1));
      ASSERT_NE(method, nullptr) << "the method does not exist any more";
      recorded.insert(method);
      continue;
    }
    ASSERT_NE(method, nullptr);
    std::string bytes;
    ASSERT_TRUE(absl::Base64Unescape(line.substr(1), &bytes));
    ExpectReadable(line[0] == '>' ? *method->input_type() : *method->output_type(), bytes);
  }
  for (const MethodDescriptor* one : AllMethods()) {
    EXPECT_TRUE(recorded.contains(one)) << one->full_name() << " is not recorded";
  }
}

}  // namespace
}  // namespace stagedoor::server

#include "server/services/enum_validator.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "base/status.h"
#include "google/rpc/error_details.pb.h"
#include "server/error_info.h"
#include "server/testing/generic_call.h"
#include "server/testing/server_test.h"
#include "server/testing/status_details.h"

namespace stagedoor::server {
namespace {

using google::protobuf::Descriptor;
using google::protobuf::FieldDescriptor;
using google::protobuf::Message;
using google::protobuf::Reflection;

using FieldPath = std::vector<const FieldDescriptor*>;

// Whether a field holds messages of a type that one of its ancestors holds too.
bool Recurs(const FieldPath& path) {
  return std::any_of(path.begin(), path.end() - 1, [&](const FieldDescriptor* above) {
    return above->message_type() == path.back()->message_type();
  });
}

// Appends the field paths to all enums in messages of a type, without those in messages that nest
// in others of their type.
void FindEnums(const Descriptor& type, const FieldPath& above, std::vector<FieldPath>* out) {
  for (int i = 0; i < type.field_count(); ++i) {
    FieldPath path = above;
    path.push_back(type.field(i));
    if (type.field(i)->cpp_type() == FieldDescriptor::CPPTYPE_ENUM) out->push_back(path);
    if (type.field(i)->cpp_type() == FieldDescriptor::CPPTYPE_MESSAGE && !Recurs(path)) {
      FindEnums(*type.field(i)->message_type(), path, out);
    }
  }
}

void SetEnum(const FieldPath& path, int number, Message* message) {
  for (const FieldDescriptor* field : path) {
    const Reflection& reflection = *message->GetReflection();
    if (field != path.back()) {
      message = field->is_repeated() ? reflection.AddMessage(message, field)
                                     : reflection.MutableMessage(message, field);
    } else if (field->is_repeated()) {
      reflection.AddEnumValue(message, field, number);
    } else {
      reflection.SetEnumValue(message, field, number);
    }
  }
}

std::string Dotted(const FieldPath& path) {
  std::vector<std::string> names;
  for (const FieldDescriptor* field : path) names.push_back(field->name());
  return Join(names, ".");
}

using ValidatedRequestTest = ServerTest;

TEST_F(ValidatedRequestTest, RejectsUnknownNumbersOfAllEnums) {
  size_t enums = 0;
  for (const auto* method : AllMethods()) {
    std::vector<FieldPath> paths;
    FindEnums(*method->input_type(), {}, &paths);
    for (const FieldPath& path : paths) {
      ++enums;
      const std::unique_ptr<Message> request = NewRequest(*method);
      SetEnum(path, 77, request.get());
      const GenericReply reply = CallMethod(channel(), *method, *request);
      SCOPED_TRACE(Concat(method->full_name(), " ", Dotted(path)));
      EXPECT_EQ(reply.status.error_code(), grpc::StatusCode::INVALID_ARGUMENT)
          << reply.status.error_message();
      const google::rpc::ErrorInfo info = DetailOf<google::rpc::ErrorInfo>(reply.status);
      EXPECT_EQ(info.reason(), "INVALID_FIELD");
      EXPECT_EQ(info.metadata().at("field"), Dotted(path));
      EXPECT_EQ(info.metadata().at("value"), "77");
    }
  }
  EXPECT_GE(enums, 39u);
}

TEST_F(ValidatedRequestTest, RejectsUnspecifiedInLists) {
  Write("root.usda", "def Sphere \"S\" {}\n");
  v1::ComputeBoundsRequest bounds;
  *bounds.mutable_stage() = Open();
  bounds.add_paths("/S");
  bounds.mutable_times()->add_frames(1);
  EXPECT_TRUE(client().ComputeBounds(bounds).ok());
  bounds.add_purposes(v1::PURPOSE_UNSPECIFIED);
  EXPECT_EQ(client().ComputeBounds(bounds).status().code(), absl::StatusCode::kInvalidArgument);
}

TEST(EnumValidatorTest, NamesTheFieldPathOfTheFirstUnknownNumber) {
  v1::TraverseRequest request;
  request.mutable_predicate()->add_required_flags(v1::PRIM_FLAG_MODEL);
  EXPECT_TRUE(ValidateEnums(request).ok());
  request.mutable_predicate()->add_required_flags(static_cast<v1::PrimFlag>(99));
  const absl::Status unknown = ValidateEnums(request);
  EXPECT_EQ(GetReason(unknown), v1::ERROR_REASON_INVALID_FIELD);
  EXPECT_EQ(std::string(unknown.message()),
            "predicate.required_flags: 99 is not a PrimFlag allowed in requests");
}

TEST(EnumValidatorTest, AcceptsUnspecifiedOutsideOfLists) {
  v1::TraverseRequest request;
  request.mutable_predicate()->set_preset(v1::PrimPredicate::PRESET_UNSPECIFIED);
  EXPECT_TRUE(ValidateEnums(request).ok());
  request.mutable_predicate()->add_required_flags(v1::PRIM_FLAG_UNSPECIFIED);
  EXPECT_FALSE(ValidateEnums(request).ok()) << "an element of a list counts as set";
}

TEST(EnumValidatorTest, ChecksMessagesThatNestInTheirOwnType) {
  v1::EditStageRequest request;
  v1::Value* value = request.add_edits()->mutable_set_field()->mutable_value();
  for (int i = 0; i < 3; ++i) {
    value = value->mutable_dictionary_value()->add_entries()->mutable_value();
  }
  value->set_specifier(v1::SPECIFIER_DEF);
  EXPECT_TRUE(ValidateEnums(request).ok());
  value->set_specifier(static_cast<v1::Specifier>(99));
  EXPECT_FALSE(ValidateEnums(request).ok());
}

TEST(EnumValidatorTest, ChecksEveryMessageOfAList) {
  v1::OpenStageRequest request;
  request.add_load_rules()->set_rule(v1::LoadRule::RULE_ALL);
  EXPECT_TRUE(ValidateEnums(request).ok());
  request.add_load_rules()->set_rule(static_cast<v1::LoadRule::Rule>(99));
  EXPECT_FALSE(ValidateEnums(request).ok());
}

}  // namespace
}  // namespace stagedoor::server

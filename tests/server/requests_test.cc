// What the server says of requests that nobody should send.
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "google/rpc/error_details.pb.h"
#include "server/rpc/status_details.h"
#include "tests/server/generic_call.h"
#include "tests/server/test_server.h"

namespace stagedoor {
namespace {

using google::protobuf::Descriptor;
using google::protobuf::FieldDescriptor;
using google::protobuf::Message;
using google::protobuf::Reflection;

using FieldPath = std::vector<const FieldDescriptor*>;

// The ways to all enums within messages of a type.
void FindEnums(const Descriptor& type, const FieldPath& above, std::vector<FieldPath>* out) {
  for (int i = 0; i < type.field_count(); ++i) {
    FieldPath path = above;
    path.push_back(type.field(i));
    if (type.field(i)->cpp_type() == FieldDescriptor::CPPTYPE_ENUM) out->push_back(path);
    if (type.field(i)->cpp_type() == FieldDescriptor::CPPTYPE_MESSAGE) {
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

using RequestsTest = ServerTest;

TEST_F(RequestsTest, AnUnknownNumberOfAnyEnumOfAnyRequestIsRefused) {
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
  EXPECT_GE(enums, 40u);
}

TEST_F(RequestsTest, AListOfEnumsHoldsNothingUnspecified) {
  Write("root.usda", "def Sphere \"S\" {}\n");
  v1::ComputeBoundsRequest bounds;
  *bounds.mutable_stage() = Open();
  bounds.add_paths("/S");
  bounds.mutable_times()->add_frames(1);
  EXPECT_TRUE(client().ComputeBounds(bounds).ok());
  bounds.add_purposes(v1::PURPOSE_UNSPECIFIED);
  EXPECT_EQ(client().ComputeBounds(bounds).status().code(), absl::StatusCode::kInvalidArgument);
}

TEST_F(RequestsTest, APageTokenIsOneThatWasGiven) {
  for (const std::string token : {"x", "1x", "-1", " 1", "99999999999999999999999"}) {
    v1::ListStagesRequest request;
    request.set_page_token(token);
    const auto* method =
        v1::ListStagesRequest::descriptor()->file()->service(0)->FindMethodByName("ListStages");
    const GenericReply reply = CallMethod(channel(), *method, request);
    EXPECT_EQ(reply.status.error_code(), grpc::StatusCode::INVALID_ARGUMENT) << token;
    const google::rpc::ErrorInfo info = DetailOf<google::rpc::ErrorInfo>(reply.status);
    EXPECT_EQ(info.reason(), "INVALID_FIELD");
    EXPECT_EQ(info.metadata().at("field"), "page_token");
    EXPECT_EQ(info.metadata().at("value"), token);
  }
}

TEST_F(RequestsTest, FailuresFitIntoTrailersWhateverTheyName) {
  v1::ReadLayerRequest request;
  for (int i = 0; i < 3000; ++i) request.mutable_identifier()->append("\xF0\x9F\x8E\xAD");
  const auto* method =
      v1::ReadLayerRequest::descriptor()->file()->service(0)->FindMethodByName("ReadLayer");
  const GenericReply reply = CallMethod(channel(), *method, request);
  EXPECT_NE(reply.status.error_code(), grpc::StatusCode::OK);
  EXPECT_LE(3 * reply.status.error_message().size() + 4 * reply.status.error_details().size() / 3,
            8000u);
  EXPECT_NE(DetailOf<google::rpc::ErrorInfo>(reply.status).reason(), "");
}

}  // namespace
}  // namespace stagedoor

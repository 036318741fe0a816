// Messages that protobuf reads and writes.
#include "client/openusd/wire.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "stagedoor/v1/query.pb.h"
#include "stagedoor/v1/values.pb.h"

namespace stagedoor::openusd {
namespace {

// Reads the only field of a message.
WireReader Only(const std::string& bytes, uint32_t field) {
  WireReader reader(bytes);
  EXPECT_TRUE(reader.Next());
  EXPECT_EQ(reader.field(), field);
  WireReader rest = reader;
  EXPECT_FALSE(rest.Next());
  return reader;
}

TEST(WireTest, ReadsWhatProtobufWrites) {
  v1::Value value;
  for (const int64_t number :
       {int64_t{0}, int64_t{1}, int64_t{-1}, int64_t{300}, std::numeric_limits<int64_t>::min()}) {
    value.set_int64_value(number);
    EXPECT_EQ(Only(value.SerializeAsString(), v1::Value::kInt64ValueFieldNumber).Signed(), number);
  }
  value.set_int_value(-5);
  EXPECT_EQ(Only(value.SerializeAsString(), v1::Value::kIntValueFieldNumber).Signed(), -5);
  value.set_bool_value(true);
  EXPECT_TRUE(Only(value.SerializeAsString(), v1::Value::kBoolValueFieldNumber).Bool());
  value.set_double_value(-2.5);
  EXPECT_EQ(Only(value.SerializeAsString(), v1::Value::kDoubleValueFieldNumber).Double(), -2.5);
  value.set_float_value(0.25f);
  EXPECT_EQ(Only(value.SerializeAsString(), v1::Value::kFloatValueFieldNumber).Float(), 0.25f);
  value.set_string_value("text");
  const std::string bytes = value.SerializeAsString();
  EXPECT_EQ(Only(bytes, v1::Value::kStringValueFieldNumber).Text(), "text");
}

TEST(WireTest, WritesWhatProtobufReads) {
  WireWriter interval, request;
  interval.Double(v1::TimeInterval::kStartFieldNumber, 1.5);
  interval.Number(v1::TimeInterval::kStartOpenFieldNumber, 1);
  request.Bytes(v1::SampleValuesRequest::kPathsFieldNumber, "/A.x");
  request.Bytes(v1::SampleValuesRequest::kPathsFieldNumber, std::string(200, 'p'));
  request.Message(v1::SampleValuesRequest::kIntervalsFieldNumber, interval);
  v1::SampleValuesRequest message;
  ASSERT_TRUE(message.ParseFromString(request.bytes()));
  EXPECT_EQ(message.paths(0), "/A.x");
  EXPECT_EQ(message.paths(1).size(), 200u);
  EXPECT_EQ(message.intervals(0).start(), 1.5);
  EXPECT_TRUE(message.intervals(0).start_open());
}

TEST(WireTest, RepeatedFieldsAndMessages) {
  v1::TraverseResponse response;
  response.add_prims()->set_path("/A");
  response.add_prims()->set_path("/B");
  std::vector<std::string> paths;
  const std::string bytes = response.SerializeAsString();
  for (WireReader reader(bytes); reader.Next();) {
    for (WireReader prim = reader.Message(); prim.Next();) paths.push_back(prim.Text());
  }
  EXPECT_EQ(paths, (std::vector<std::string>{"/A", "/B"}));
}

TEST(WireTest, ATruncatedMessageEnds) {
  v1::Value value;
  value.set_string_value("text");
  const std::string bytes = value.SerializeAsString();
  for (size_t size = 0; size < bytes.size(); ++size) {
    WireReader reader(std::string_view(bytes).substr(0, size));
    EXPECT_FALSE(reader.Next()) << size;
  }
  const char* const malformed[] = {"\x08",
                                   "\x09\x01",
                                   "\x0d\x01",
                                   "\x0b",
                                   "\x0a\xff\xff\xff\xff\x7f",
                                   "\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff"};
  for (const char* const text : malformed) EXPECT_FALSE(WireReader(text).Next()) << text;
}

TEST(WireTest, AFieldOfAnotherTypeHasNoValue) {
  v1::Value value;
  value.set_string_value("text");
  const std::string bytes = value.SerializeAsString();
  EXPECT_EQ(Only(bytes, v1::Value::kStringValueFieldNumber).Number(), 0u);
}

}  // namespace
}  // namespace stagedoor::openusd

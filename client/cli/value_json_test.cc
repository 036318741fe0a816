#include "client/cli/value_json.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "google/protobuf/text_format.h"

namespace stagedoor {
namespace {

std::string Json(const std::string& text) {
  v1::Value value;
  EXPECT_TRUE(google::protobuf::TextFormat::ParseFromString(text, &value)) << text;
  JsonWriter json;
  WriteValue(value, json);
  return json.Take();
}

TEST(NumberTextTest, IsShortAndReadsBack) {
  const struct {
    double value;
    std::string expected;
  } kCases[] = {{0, "0"},
                {1, "1"},
                {-2.5, "-2.5"},
                {100000, "100000"},
                {0.0001, "0.0001"},
                {1e-5, "1e-05"},
                {0.1, "0.1"},
                {1e15, "1000000000000000"},
                {1e16, "1e+16"},
                {123456789.125, "123456789.125"},
                {1.0 / 3, "0.3333333333333333"},
                {INFINITY, "inf"},
                {-INFINITY, "-inf"}};
  for (const auto& c : kCases) EXPECT_EQ(NumberText(c.value), c.expected);
  EXPECT_EQ(NumberText(std::nan("")), "nan");
}

TEST(NumberTextTest, FloatsAreShortestAsFloats) {
  EXPECT_EQ(NumberText(0.1f), "0.1");
  EXPECT_EQ(NumberText(16777216.0f), "16777216");
  EXPECT_EQ(NumberText(3.4e38f), "3.4e+38");
}

TEST(JsonWriterTest, WritesRunsOfNumbersAsNumbersOneByOne) {
  std::vector<float> numbers = {0.f, -0.f, 1.5f, -1e-7f, 3.4e38f, NAN, INFINITY, 16777217.f};
  for (int i = 0; i < 1000; ++i) numbers.push_back(static_cast<float>(i) * 0.37f - 100);
  JsonWriter run, single;
  run.Numbers<float>(reinterpret_cast<const char*>(numbers.data()), numbers.size());
  single.BeginArray();
  for (const float number : numbers) single.Number(number);
  single.EndArray();
  EXPECT_EQ(run.Take(), single.Take());
  run.Numbers<double>(nullptr, 0);
  EXPECT_EQ(run.Take(), "[]");
}

TEST(ValueJsonTest, SummarizesLongArraysWhereAsked) {
  v1::Value value;
  v1::PackedValues* packed = value.mutable_array_value();
  packed->set_component_type(v1::COMPONENT_TYPE_INT32);
  packed->set_shape(v1::ELEMENT_SHAPE_SCALAR);
  packed->set_components(1);
  const auto add = [&](int32_t number) {
    packed->mutable_data()->append(reinterpret_cast<const char*>(&number), sizeof(number));
  };
  for (int i = 1; i <= 8; ++i) add(i);
  JsonWriter json;
  json.set_summarizes_arrays(true);
  WriteValue(value, json);
  EXPECT_EQ(json.Take(), "[1,2,3,4,5,6,7,8]") << "short ones stay";
  add(9);
  json.set_summarizes_arrays(true);
  WriteValue(value, json);
  const std::string summary = json.Take();
  EXPECT_EQ(summary,
            "{\"count\":9,\"digest\":\"96c992bb414577e4\",\"first\":[1,2],\"last\":[8,9]}");
  packed->mutable_data()->back() ^= 1;
  WriteValue(value, json);
  EXPECT_NE(json.Take(), summary) << "the digest tells what is not shown";
}

TEST(JsonWriterTest, EscapesWhatJsonDemands) {
  JsonWriter json;
  json.String("a\"b\\c\n\x01é");
  EXPECT_EQ(json.Take(), "\"a\\\"b\\\\c\\u000a\\u0001é\"");
}

TEST(ValueJsonTest, WritesEachKindAsTheCorpusDefines) {
  const struct {
    std::string message, expected;
  } kCases[] = {
      {"", "null"},
      {"block {}", "{\"blocked\":true}"},
      {"animation_block {}", "{\"animationBlocked\":true}"},
      {"bool_value: true", "true"},
      {"float_value: 0.1", "0.1"},
      {"double_value: inf", "\"inf\""},
      {"token_value: 'x'", "\"x\""},
      {"asset_path_value { authored: 'a' evaluated: 'b' resolved: '/b' }",
       "{\"asset\":\"a\",\"evaluated\":\"b\"}"},
      {"array_edit: '[append 3]'", "{\"edit\":\"[append 3]\"}"},
      {"list_op { is_explicit: true }", "{\"explicit\":[]}"},
      {"list_op { prepended_items { int_value: 1 } deleted_items { int_value: 2 } }",
       "{\"prepended\":[1],\"deleted\":[2]}"},
      {"reference { asset_path: 'a' prim_path: '/P' layer_offset { offset: 1 scale: 2 } }",
       "{\"asset\":\"a\",\"path\":\"/P\",\"layerOffset\":{\"offset\":1,\"scale\":2}}"},
      {"payload { asset_path: 'a' }", "{\"asset\":\"a\",\"path\":\"\"}"},
      {"relocates { relocates { source: '/A' target: '/B' } }", "[[\"/A\",\"/B\"]]"},
      {"time_samples { times: 1 times: 2.5 values { int_value: 3 } values { block {} } }",
       "{\"1\":3,\"2.5\":{\"blocked\":true}}"},
      {"dictionary_value { entries { key: 'k' value { bool_value: false } } }", "{\"k\":false}"},
      {"specifier: SPECIFIER_CLASS", "\"class\""},
      {"variability: VARIABILITY_UNIFORM", "\"uniform\""},
      {"permission: PERMISSION_PRIVATE", "\"private\""},
      {"unregistered_value { string_value: 's' }", "\"s\""},
      {"token_array {}", "[]"},
  };
  for (const auto& c : kCases) EXPECT_EQ(Json(c.message), c.expected) << c.message;
}

v1::PackedValues Packed(v1::ComponentType type, v1::ElementShape shape, uint32_t components,
                        const void* data, size_t bytes) {
  v1::PackedValues packed;
  packed.set_component_type(type);
  packed.set_shape(shape);
  packed.set_components(components);
  packed.set_data(data, bytes);
  return packed;
}

std::string PackedJson(const v1::PackedValues& packed) {
  JsonWriter json;
  WritePackedArray(packed, json);
  return json.Take();
}

TEST(ValueJsonTest, PackedArraysFollowTheirShape) {
  const float floats[] = {1, 2, 3, 0.5f};
  EXPECT_EQ(PackedJson(Packed(v1::COMPONENT_TYPE_FLOAT32, v1::ELEMENT_SHAPE_SCALAR, 1, floats, 16)),
            "[1,2,3,0.5]");
  EXPECT_EQ(PackedJson(Packed(v1::COMPONENT_TYPE_FLOAT32, v1::ELEMENT_SHAPE_VECTOR, 2, floats, 16)),
            "[[1,2],[3,0.5]]");
  EXPECT_EQ(
      PackedJson(Packed(v1::COMPONENT_TYPE_FLOAT32, v1::ELEMENT_SHAPE_QUATERNION, 4, floats, 16)),
      "[[0.5,1,2,3]]");
  EXPECT_EQ(PackedJson(Packed(v1::COMPONENT_TYPE_FLOAT32, v1::ELEMENT_SHAPE_MATRIX, 4, floats, 16)),
            "[[[1,2],[3,0.5]]]");
  const uint16_t halfs[] = {0x3c00, 0xc000, 0x7c00, 0x0001};
  EXPECT_EQ(PackedJson(Packed(v1::COMPONENT_TYPE_FLOAT16, v1::ELEMENT_SHAPE_SCALAR, 1, halfs, 8)),
            "[1,-2,\"inf\",5.9604645e-08]");
}

TEST(ValueJsonTest, DamagedPackedValuesDoNotOverrun) {
  EXPECT_EQ(PackedJson(Packed(v1::COMPONENT_TYPE_FLOAT32, v1::ELEMENT_SHAPE_VECTOR, 3, "abcde", 5)),
            "[]");
  EXPECT_EQ(PackedJson(v1::PackedValues()), "[]");
}

}  // namespace
}  // namespace stagedoor

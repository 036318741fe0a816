#include "client/cli/value_json.h"

#include <gtest/gtest.h>

#include <cstdint>
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

TEST(ValueJsonTest, SummarizesLongArraysOnRequest) {
  v1::Value value;
  v1::PackedValues* packed = value.mutable_array_value();
  packed->set_component_type(v1::COMPONENT_TYPE_INT32);
  packed->set_shape(v1::ELEMENT_SHAPE_SCALAR);
  packed->set_rows(1);
  packed->set_columns(1);
  const auto add = [&](int32_t number) {
    packed->mutable_data()->append(reinterpret_cast<const char*>(&number), sizeof(number));
  };
  for (int i = 1; i <= 8; ++i) add(i);
  JsonWriter json;
  json.set_summarizes_arrays(true);
  WriteValue(value, json);
  EXPECT_EQ(json.Take(), "[1,2,3,4,5,6,7,8]") << "short arrays are written in full";
  add(9);
  json.set_summarizes_arrays(true);
  WriteValue(value, json);
  const std::string summary = json.Take();
  EXPECT_EQ(summary,
            "{\"count\":9,\"digest\":\"96c992bb414577e4\",\"first\":[1,2],\"last\":[8,9]}");
  packed->mutable_data()->back() ^= 1;
  WriteValue(value, json);
  EXPECT_NE(json.Take(), summary) << "the digest covers all elements";
}

TEST(ValueJsonTest, WritesEachKindAsTheCorpusDefinesIt) {
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
      {"time_samples { times { component_type: COMPONENT_TYPE_FLOAT64 "
       "data: '\\0\\0\\0\\0\\0\\0\\360?\\0\\0\\0\\0\\0\\0\\004@' } values { int_value: 3 } values "
       "{ block {} } }",
       "{\"1\":3,\"2.5\":{\"blocked\":true}}"},
      {"dictionary_value { entries { key: 'k' value { bool_value: false } } }", "{\"k\":false}"},
      {"specifier: SPECIFIER_CLASS", "\"class\""},
      {"variability: VARIABILITY_UNIFORM", "\"uniform\""},
      {"permission: PERMISSION_PRIVATE", "\"private\""},
      {"unregistered_value { string_value: 's' }", "\"s\""},
      {"invalid_value: 'why'", "{\"invalid\":\"why\"}"},
      {"uchar_value: 255", "255"},
      {"int_value: -3", "-3"},
      {"uint_value: 4294967295", "4294967295"},
      {"int64_value: -5000000000", "-5000000000"},
      {"uint64_value: 18446744073709551615", "18446744073709551615"},
      {"half_value: 0.5", "0.5"},
      {"double_value: 0.1", "0.1"},
      {"duration_value: 1.5", "1.5"},
      {"time_code_value: 2.5", "2.5"},
      {"string_value: 's'", "\"s\""},
      {"path_value: '/P'", "\"/P\""},
      {"path_expression_value: '/P//'", "\"/P//\""},
      {"asset_path_value { authored: 'a' }", "{\"asset\":\"a\"}"},
      {"asset_path_array { values { authored: 'a' } values { authored: 'b' } }",
       "[{\"asset\":\"a\"},{\"asset\":\"b\"}]"},
      {"string_array { values: 'a' values: 'b' }", "[\"a\",\"b\"]"},
      {"token_array { values: 'a' }", "[\"a\"]"},
      {"path_array { values: '/A' }", "[\"/A\"]"},
      {"path_expression_array { values: '//' }", "[\"//\"]"},
      {"value_array { values { int_value: 1 } values { token_value: 't' } }", "[1,\"t\"]"},
      {"list_op { explicit_items { int_value: 1 } appended_items { int_value: 2 } "
       "added_items { int_value: 3 } ordered_items { int_value: 4 } }",
       "{\"appended\":[2],\"added\":[3],\"ordered\":[4]}"},
      {"list_op { is_explicit: true explicit_items { int_value: 1 } }", "{\"explicit\":[1]}"},
      {"reference { prim_path: '/P' custom_data { entries { key: 'k' value { int_value: 1 } } } }",
       "{\"asset\":\"\",\"path\":\"/P\",\"customData\":{\"k\":1}}"},
      {"payload { asset_path: 'a' prim_path: '/P' layer_offset { scale: 1 } }",
       "{\"asset\":\"a\",\"path\":\"/P\",\"layerOffset\":{\"offset\":0,\"scale\":1}}"},
      {"layer_offset { offset: 1.5 scale: 2 }", "{\"offset\":1.5,\"scale\":2}"},
      {"relocates { relocates { source: '/A' } relocates { target: '/B' } }",
       "[[\"/A\",\"\"],[\"\",\"/B\"]]"},
      {"specifier: SPECIFIER_DEF", "\"def\""},
      {"specifier: SPECIFIER_OVER", "\"over\""},
      {"variability: VARIABILITY_VARYING", "\"varying\""},
      {"permission: PERMISSION_PUBLIC", "\"public\""},
      {"token_array {}", "[]"},
  };
  for (const auto& c : kCases) EXPECT_EQ(Json(c.message), c.expected) << c.message;
}

v1::PackedValues Packed(v1::ComponentType type, v1::ElementShape shape, uint32_t columns,
                        const void* data, size_t bytes, uint32_t rows = 1) {
  v1::PackedValues packed;
  packed.set_component_type(type);
  packed.set_shape(shape);
  packed.set_rows(rows);
  packed.set_columns(columns);
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
  EXPECT_EQ(
      PackedJson(Packed(v1::COMPONENT_TYPE_FLOAT32, v1::ELEMENT_SHAPE_MATRIX, 2, floats, 16, 2)),
      "[[[1,2],[3,0.5]]]");
  const double box[] = {-1, -2, -3, 1, 2, 3};
  EXPECT_EQ(PackedJson(Packed(v1::COMPONENT_TYPE_FLOAT64, v1::ELEMENT_SHAPE_RANGE, 3, box, 48, 2)),
            "[[[-1,-2,-3],[1,2,3]]]");
  const uint16_t halfs[] = {0x3c00, 0xc000, 0x7c00, 0x0001};
  EXPECT_EQ(PackedJson(Packed(v1::COMPONENT_TYPE_FLOAT16, v1::ELEMENT_SHAPE_SCALAR, 1, halfs, 8)),
            "[1,-2,\"inf\",5.9604645e-08]");
}

TEST(ValueJsonTest, PackedNumbersHaveTheirType) {
  const char bytes[] = "\xff\xff\xff\xff\xff\xff\xff\xff\1";
  const struct {
    v1::ComponentType type;
    std::string flat;
    std::string nested;
  } kCases[] = {
      {v1::COMPONENT_TYPE_UINT8, "[255,255,255,255,255,255,255,255]",
       "[[255],[255],[255],[255],[255],[255],[255],[255]]"},
      {v1::COMPONENT_TYPE_INT32, "[-1,-1]", "[[-1],[-1]]"},
      {v1::COMPONENT_TYPE_UINT32, "[4294967295,4294967295]", "[[4294967295],[4294967295]]"},
      {v1::COMPONENT_TYPE_INT64, "[-1]", "[[-1]]"},
      {v1::COMPONENT_TYPE_UINT64, "[18446744073709551615]", "[[18446744073709551615]]"},
      {v1::COMPONENT_TYPE_FLOAT32, "[\"nan\",\"nan\"]", "[[\"nan\"],[\"nan\"]]"},
      {v1::COMPONENT_TYPE_FLOAT64, "[\"nan\"]", "[[\"nan\"]]"},
      {v1::COMPONENT_TYPE_TIME_CODE, "[\"nan\"]", "[[\"nan\"]]"},
  };
  for (const auto& c : kCases) {
    EXPECT_EQ(PackedJson(Packed(c.type, v1::ELEMENT_SHAPE_SCALAR, 1, bytes, 8)), c.flat);
    // Vectors of one component are nested.
    EXPECT_EQ(PackedJson(Packed(c.type, v1::ELEMENT_SHAPE_VECTOR, 1, bytes, 8)), c.nested);
  }
  const char bools[] = {0, 1, 2};
  EXPECT_EQ(PackedJson(Packed(v1::COMPONENT_TYPE_BOOL, v1::ELEMENT_SHAPE_SCALAR, 1, bools, 3)),
            "[false,true,true]");
  EXPECT_EQ(PackedJson(Packed(v1::COMPONENT_TYPE_BOOL, v1::ELEMENT_SHAPE_VECTOR, 2, bools, 2)),
            "[[false,true]]");
  const double times[] = {1, 2.5};
  EXPECT_EQ(PackedJson(Packed(v1::COMPONENT_TYPE_DURATION, v1::ELEMENT_SHAPE_SCALAR, 1, times, 16)),
            "[1,2.5]");
}

TEST(ValueJsonTest, QuaternionsOfAnyTypeHaveTheirRealPartFirst) {
  const uint16_t halfs[] = {0x3c00, 0x4000, 0x4200, 0x3800};
  EXPECT_EQ(
      PackedJson(Packed(v1::COMPONENT_TYPE_FLOAT16, v1::ELEMENT_SHAPE_QUATERNION, 4, halfs, 8)),
      "[[0.5,1,2,3]]");
  const double doubles[] = {1, 2, 3, 0.5, 4, 5, 6, 7};
  EXPECT_EQ(
      PackedJson(Packed(v1::COMPONENT_TYPE_FLOAT64, v1::ELEMENT_SHAPE_QUATERNION, 4, doubles, 64)),
      "[[0.5,1,2,3],[7,4,5,6]]");
  const int32_t ints[] = {1, 2, 3, -4};
  EXPECT_EQ(PackedJson(Packed(v1::COMPONENT_TYPE_INT32, v1::ELEMENT_SHAPE_QUATERNION, 4, ints, 16)),
            "[[-4,1,2,3]]");
  EXPECT_EQ(
      PackedJson(Packed(v1::COMPONENT_TYPE_UINT32, v1::ELEMENT_SHAPE_QUATERNION, 4, ints, 16)),
      "[[4294967292,1,2,3]]");
}

TEST(ValueJsonTest, HalfsAreExact) {
  const struct {
    uint16_t bits;
    std::string expected;
  } kCases[] = {{0x0000, "[0]"},
                {0x8001, "[-5.9604645e-08]"},
                {0x03ff, "[6.097555e-05]"},
                {0x0400, "[6.1035156e-05]"},
                {0x3555, "[0.33325195]"},
                {0x7bff, "[65504]"},
                {0xfc00, "[\"-inf\"]"},
                {0x7c01, "[\"nan\"]"},
                {0xbc00, "[-1]"}};
  for (const auto& c : kCases) {
    EXPECT_EQ(
        PackedJson(Packed(v1::COMPONENT_TYPE_FLOAT16, v1::ELEMENT_SHAPE_SCALAR, 1, &c.bits, 2)),
        c.expected)
        << c.bits;
  }
}

TEST(ValueJsonTest, MatricesAreWrittenAsRows) {
  const double numbers[] = {1, 2, 3, 4, 5, 6, 7, 8, 9};
  EXPECT_EQ(
      PackedJson(Packed(v1::COMPONENT_TYPE_FLOAT64, v1::ELEMENT_SHAPE_MATRIX, 3, numbers, 72, 3)),
      "[[[1,2,3],[4,5,6],[7,8,9]]]");
}

// A tuple is written like one element of an array; null if its bytes are incomplete.
TEST(ValueJsonTest, TuplesAreSingleElements) {
  const float floats[] = {1, 2};
  v1::Value value;
  *value.mutable_tuple_value() =
      Packed(v1::COMPONENT_TYPE_FLOAT32, v1::ELEMENT_SHAPE_VECTOR, 2, floats, 8);
  JsonWriter json;
  WriteValue(value, json);
  EXPECT_EQ(json.Take(), "[1,2]");
  value.mutable_tuple_value()->mutable_data()->pop_back();
  WriteValue(value, json);
  EXPECT_EQ(json.Take(), "null");
}

TEST(ValueJsonTest, LongArraysOfStringsAreSummarizedToo) {
  v1::Value value;
  for (int i = 1; i <= 8; ++i) value.mutable_token_array()->add_values(std::to_string(i));
  JsonWriter json;
  json.set_summarizes_arrays(true);
  WriteValue(value, json);
  EXPECT_EQ(json.Take(), R"(["1","2","3","4","5","6","7","8"])");
  value.mutable_token_array()->add_values("9");
  WriteValue(value, json);
  // FNV-1a of the strings, each followed by a zero byte.
  EXPECT_EQ(json.Take(),
            R"({"count":9,"digest":"6996fb63188fc884","first":["1","2"],"last":["8","9"]})");
  json.set_summarizes_arrays(false);
  WriteValue(value, json);
  EXPECT_EQ(json.Take(), R"(["1","2","3","4","5","6","7","8","9"])");
}

TEST(ValueJsonTest, LongArraysOfVectorsAreSummarizedByElement) {
  std::vector<float> numbers(18);
  for (size_t i = 0; i < numbers.size(); ++i) numbers[i] = static_cast<float>(i);
  const v1::PackedValues whole = Packed(v1::COMPONENT_TYPE_FLOAT32, v1::ELEMENT_SHAPE_VECTOR, 2,
                                        numbers.data(), 18 * sizeof(float));
  JsonWriter json;
  json.set_summarizes_arrays(true);
  WritePackedArray(whole, json);
  const std::string summary = json.Take();
  EXPECT_EQ(summary.substr(0, 20), R"({"count":9,"digest":)");
  EXPECT_EQ(summary.substr(summary.find(R"("first")")),
            R"("first":[[0,1],[2,3]],"last":[[14,15],[16,17]]})");
  v1::PackedValues odd = whole;
  odd.mutable_data()->append("odd");
  WritePackedArray(odd, json);
  EXPECT_EQ(json.Take(), summary) << "the bytes of an incomplete element are ignored";
}

TEST(ValueJsonTest, FieldsAreAnObject) {
  google::protobuf::RepeatedPtrField<v1::Field> fields;
  JsonWriter json;
  WriteFields(fields, json);
  EXPECT_EQ(json.Take(), "{}");
  fields.Add()->set_name("a");
  fields.Add()->set_name("b");
  WriteFields(fields, json);
  EXPECT_EQ(json.Take(), R"({"a":null,"b":null})");
}

TEST(ValueJsonTest, DamagedPackedValuesDoNotOverrun) {
  EXPECT_EQ(PackedJson(Packed(v1::COMPONENT_TYPE_FLOAT32, v1::ELEMENT_SHAPE_VECTOR, 3, "abcde", 5)),
            "[]");
  EXPECT_EQ(PackedJson(v1::PackedValues()), "[]");
  EXPECT_EQ(PackedJson(Packed(v1::COMPONENT_TYPE_FLOAT32, v1::ELEMENT_SHAPE_VECTOR, 1, "abcde", 5)),
            "[[1.6777999e+22]]");
  // Shapes that do not exist have no elements.
  const std::string bytes(128, 'x');
  const auto json = [&](v1::ElementShape shape, uint32_t columns, uint32_t rows) {
    return PackedJson(
        Packed(v1::COMPONENT_TYPE_UINT8, shape, columns, bytes.data(), bytes.size(), rows));
  };
  EXPECT_EQ(json(v1::ELEMENT_SHAPE_MATRIX, 0xffffffff, 0xffffffff), "[]");
  EXPECT_EQ(json(v1::ELEMENT_SHAPE_MATRIX, 17, 1), "[]");
  EXPECT_EQ(json(v1::ELEMENT_SHAPE_VECTOR, 0, 1), "[]");
  EXPECT_EQ(json(v1::ELEMENT_SHAPE_QUATERNION, 3, 1), "[]");
  EXPECT_EQ(json(v1::ELEMENT_SHAPE_SCALAR, 2, 1), "[]");
}

}  // namespace
}  // namespace stagedoor

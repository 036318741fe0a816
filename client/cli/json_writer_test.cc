#include "client/cli/json_writer.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

namespace stagedoor {
namespace {

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
  for (const auto& c : kCases) EXPECT_EQ(FormatNumber(c.value), c.expected);
  EXPECT_EQ(FormatNumber(std::nan("")), "nan");
}

TEST(NumberTextTest, FloatsAreShortestAsFloats) {
  EXPECT_EQ(FormatNumber(0.1f), "0.1");
  EXPECT_EQ(FormatNumber(16777216.0f), "16777216");
  EXPECT_EQ(FormatNumber(3.4e38f), "3.4e+38");
  EXPECT_EQ(FormatNumber(123456792.0f), "123456790");
}

TEST(JsonWriterTest, RunsOfNumbersEqualSingleNumbers) {
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

TEST(JsonWriterTest, EscapesAsJsonRequires) {
  JsonWriter json;
  json.String("a\"b\\c\n\x01é");
  EXPECT_EQ(json.Take(), "\"a\\\"b\\\\c\\u000a\\u0001é\"");
}

TEST(NumberTextTest, UsesExponentsWherePositionalNotationIsLong) {
  const struct {
    double value;
    std::string expected;
  } kCases[] = {{1e-4, "0.0001"},
                {1.5e-4, "0.00015"},
                {9.99e-5, "9.99e-05"},
                {0.25, "0.25"},
                {-0.001, "-0.001"},
                {999999999999999., "999999999999999"},
                {-1e15, "-1000000000000000"},
                {1234567890123456., "1234567890123456"},
                {9999999999999998., "9999999999999998"},
                {1e16, "1e+16"},
                {-1.5e300, "-1.5e+300"},
                {12.5, "12.5"},
                {1e2, "100"},
                {-0.0, "0"}};
  for (const auto& c : kCases) EXPECT_EQ(FormatNumber(c.value), c.expected);
  EXPECT_EQ(FormatNumber(1.6777218e7f), "16777218");
  EXPECT_EQ(FormatNumber(1e16f), "1e+16");
  EXPECT_EQ(FormatNumber(-1.5e-7f), "-1.5e-07");
  EXPECT_EQ(FormatNumber(INFINITY), "inf");
  EXPECT_EQ(FormatNumber(-std::numeric_limits<float>::infinity()), "-inf");
}

TEST(JsonWriterTest, SeparatesValuesByCommas) {
  JsonWriter json;
  json.BeginObject();
  json.Key("a");
  json.BeginArray();
  json.EndArray();
  json.Key("b");
  json.BeginArray();
  json.Null();
  json.Bool(true);
  json.Bool(false);
  json.Int(-1);
  json.UInt(1);
  json.BeginObject();
  json.EndObject();
  json.String("");
  json.Numbers<int32_t>(nullptr, 0);
  json.EndArray();
  json.Key("c");
  json.Number(0.5);
  json.EndObject();
  EXPECT_EQ(json.Take(), R"({"a":[],"b":[null,true,false,-1,1,{},"",[]],"c":0.5})");
  json.Int(2);
  EXPECT_EQ(json.Take(), "2") << "no comma after Take()";
}

TEST(JsonWriterTest, EscapesControlCharactersOnly) {
  JsonWriter json;
  json.String("\x1f \x7f~");
  EXPECT_EQ(json.Take(), "\"\\u001f \\u007f~\"");
}

TEST(JsonWriterTest, IntegersHaveTheirWholeRange) {
  JsonWriter json;
  json.Int(std::numeric_limits<int64_t>::min());
  EXPECT_EQ(json.Take(), "-9223372036854775808");
  json.UInt(std::numeric_limits<uint64_t>::max());
  EXPECT_EQ(json.Take(), "18446744073709551615");
}

// Runs are composed in pieces of 64 numbers; each piece continues where the last one ended.
TEST(JsonWriterTest, RunsOfAnyLengthAreComplete) {
  for (const size_t count : {1, 63, 64, 65, 128, 129}) {
    std::vector<uint8_t> numbers(count);
    std::string expected = "[";
    for (size_t i = 0; i < count; ++i) {
      numbers[i] = static_cast<uint8_t>(i);
      expected += (i == 0 ? "" : ",") + std::to_string(i);
    }
    JsonWriter json;
    json.Numbers<uint8_t>(reinterpret_cast<const char*>(numbers.data()), count);
    EXPECT_EQ(json.Take(), expected + "]") << count;
  }
}

}  // namespace
}  // namespace stagedoor

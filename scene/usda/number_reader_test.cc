#include "scene/usda/number_reader.h"

#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <random>
#include <string>
#include <string_view>

#include "gtest/gtest.h"

namespace stagedoor::usda {
namespace {

// The characters after a number decide whether the fast path may read it: not near the end.
constexpr const char* kTails[] = {"", ",", ", 1.5, 2.5, 3.5, 4.5, 5.5",
                                  ")                        "};

void ExpectReadsLikeStrtod(const std::string& number) {
  for (const char* tail : kTails) {
    const std::string text = number + tail;
    Number read;
    const char* after = ReadNumber(text.data(), text.data() + text.size(), &read);
    ASSERT_NE(after, nullptr) << text;
    EXPECT_EQ(after - text.data(), static_cast<ptrdiff_t>(number.size())) << text;
    EXPECT_EQ(read.AsDouble(), std::strtod(number.c_str(), nullptr)) << text;
  }
}

TEST(NumberReaderTest, ReadsWhatStrtodReads) {
  for (const char* number : {"0",          "7",
                             "-7",         "1234567",
                             "12345678",   "123456789012345678901234567890",
                             "-0.0",       "0.5",
                             ".5",         "-.25",
                             "1.",         "-1.",
                             "0.0000001",  "1234567.7654321",
                             "12345678.5", "1.23456789",
                             "1e5",        "1.5e-3",
                             "2E+4",       "1e400",
                             "4.9e-324",   "9007199254740993",
                             "0.1",        "-12.39373"}) {
    ExpectReadsLikeStrtod(number);
  }
}

TEST(NumberReaderTest, RoundsRandomDecimalsLikeStrtod) {
  std::mt19937_64 random(7);
  for (int i = 0; i < 100000; ++i) {
    char text[64];
    const int64_t scaled = static_cast<int64_t>(random() >> (random() % 60 + 4));
    std::snprintf(text, sizeof(text), "%s%.*f", i % 2 ? "-" : "", static_cast<int>(random() % 9),
                  static_cast<double>(scaled) / 1e6);
    ExpectReadsLikeStrtod(text);
  }
}

TEST(NumberReaderTest, DistinguishesIntegersFromDoubles) {
  const auto kind = [](const std::string& text) {
    Number number;
    EXPECT_NE(ReadNumber(text.data(), text.data() + text.size(), &number), nullptr) << text;
    return number.kind;
  };
  const std::string tail(20, ' ');
  EXPECT_EQ(kind("12" + tail), Number::Kind::kUnsigned);
  EXPECT_EQ(kind("-12" + tail), Number::Kind::kNegative);
  EXPECT_EQ(kind("-0" + tail), Number::Kind::kDouble);
  EXPECT_EQ(kind("12." + tail), Number::Kind::kDouble);
  EXPECT_EQ(kind("12e1" + tail), Number::Kind::kDouble);
  EXPECT_EQ(kind("18446744073709551615"), Number::Kind::kUnsigned);
  EXPECT_EQ(kind("18446744073709551616"), Number::Kind::kDouble);
}

// Number of characters read, both at the end of the text and followed by more text.
TEST(NumberReaderTest, ReadsOnlyTheCharactersOfTheNumber) {
  static constexpr struct {
    const char* text;
    int length;  // -1 if there is no number
  } kTexts[] = {
      {"", -1},        {"-", -1},        {".", -1},         {"-.", -1},          {"+1", -1},
      {"x", -1},       {"e5", -1},       {"inf", 3},        {"-inf", 4},         {"nan", 3},
      {"-nan", -1},    {"infx", -1},     {"inf1", -1},      {"inf_", -1},        {"inf.", 3},
      {"in", -1},      {"nano", -1},     {"INF", -1},       {"1x", 1},           {"12,", 2},
      {"1..2", 2},     {"1.2.3", 3},     {"1e5x", 3},       {"1e+5", 4},         {"1e", 1},
      {"1e+", 1},      {"1.5e-", 3},     {"1E5", 3},        {".5.", 2},          {"-.5e1", 5},
      {"1234567x", 7}, {"12345678x", 8}, {"1.1234567x", 9}, {"1.12345678x", 10}, {"-1 ", 2},
      {"--1", -1},     {"1-1", 1}};
  for (const auto& t : kTexts) {
    for (const char* tail : {"", " ", " and so on, for a long time"}) {
      const std::string text = std::string(t.text) + tail;
      Number number;
      const char* after = ReadNumber(text.data(), text.data() + text.size(), &number);
      EXPECT_EQ(after ? after - text.data() : -1, t.length) << text;
    }
  }
}

TEST(NumberReaderTest, IntegersThatFitStayExact) {
  static constexpr struct {
    const char* text;
    Number::Kind kind;
    uint64_t bits;
  } kIntegers[] = {
      {"9999999999999999999", Number::Kind::kUnsigned, 9999999999999999999u},
      {"18446744073709551615", Number::Kind::kUnsigned, ~uint64_t{0}},
      {"00018446744073709551615", Number::Kind::kUnsigned, ~uint64_t{0}},
      {"-9223372036854775808", Number::Kind::kNegative, uint64_t{1} << 63},
      {"-9223372036854775807", Number::Kind::kNegative, (uint64_t{1} << 63) + 1},
      {"-1", Number::Kind::kNegative, ~uint64_t{0}},
      {"-0000001", Number::Kind::kNegative, ~uint64_t{0}},
      {"1234567", Number::Kind::kUnsigned, 1234567},
  };
  for (const auto& i : kIntegers) {
    for (const char* tail : {"", " and so on, for a long time"}) {
      const std::string text = std::string(i.text) + tail;
      Number number;
      ASSERT_NE(ReadNumber(text.data(), text.data() + text.size(), &number), nullptr) << text;
      EXPECT_EQ(number.kind, i.kind) << text;
      EXPECT_EQ(number.u, i.bits) << text;
    }
  }
  for (const char* text : {"18446744073709551616", "-9223372036854775809", "-00", "-0"}) {
    Number number;
    ASSERT_NE(ReadNumber(text, text + std::strlen(text), &number), nullptr) << text;
    const bool zero = std::strspn(text, "-0") == std::strlen(text);
    EXPECT_EQ(number.kind == Number::Kind::kDouble, !zero || std::string_view(text) == "-0")
        << text;
  }
}

TEST(NumberReaderTest, LongDigitsAndExponentsAreRoundedOnce) {
  for (const char* number : {"9007199254740992",
                             "9007199254740993.0",
                             "9007199254740992.0",
                             "1e22",
                             "1e23",
                             "1e-22",
                             "1e-23",
                             "123456789012345678901234567890.5",
                             "0.1234567890123456789012345",
                             "12345678901234567890e-5",
                             "1234567890123456789012e5",
                             "0.000000000000000000000000001",
                             "1e99999999999",
                             "1e-99999999999",
                             "1e100000",
                             "-1e22",
                             "-1e23",
                             "3e0",
                             "30e-1",
                             "0.30000000000000000000000000001",
                             "100000000000000000000.0",
                             "1.0e+22",
                             "00000000000000000000000000001.5",
                             "2.2250738585072011e-308"}) {
    ExpectReadsLikeStrtod(number);
  }
}

}  // namespace
}  // namespace stagedoor::usda

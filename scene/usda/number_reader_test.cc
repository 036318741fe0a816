#include "scene/usda/number_reader.h"

#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <string>

#include "gtest/gtest.h"

namespace stagedoor::usda {
namespace {

// What follows decides whether the quick way may be taken: near the end it may not.
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

TEST(NumberReaderTest, TellsIntegersFromDoubles) {
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

}  // namespace
}  // namespace stagedoor::usda

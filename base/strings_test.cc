#include "base/strings.h"

#include <cstdint>
#include <limits>
#include <vector>

#include "gtest/gtest.h"

namespace stagedoor {
namespace {

TEST(ConcatTest, JoinsTextAndNumbers) {
  const std::string name = "clip";
  EXPECT_EQ(Concat("line ", 3, ':', size_t{4}, ": ", name, std::string_view(" x")),
            "line 3:4: clip x");
  EXPECT_EQ(Concat(), "");
  EXPECT_EQ(Concat(true, false), "truefalse");
  EXPECT_EQ(Concat(std::numeric_limits<int64_t>::min()), "-9223372036854775808");
}

TEST(ConcatTest, WritesDoublesInShortestRoundTripForm) {
  EXPECT_EQ(Concat(0.1, " ", 0.1f, " ", 24.0, " ", -1.7976931348623157e308),
            "0.1 0.1 24 -1.7976931348623157e+308");
}

TEST(JoinTest, PutsTheSeparatorBetweenElements) {
  EXPECT_EQ(Join(std::vector<int>{1, 2, 3}, ", "), "1, 2, 3");
  EXPECT_EQ(Join(std::vector<std::string>{}, ", "), "");
}

TEST(AsciiLowerTest, ChangesOnlyAsciiLetters) {
  EXPECT_EQ(AsciiLower("AZaz@[`{19"), "azaz@[`{19");
  EXPECT_EQ(AsciiLower("\xc3\x84"), "\xc3\x84");
}

TEST(QuotedTest, EscapesAndTruncates) {
  EXPECT_EQ(Quoted("a\n\x01\xff"), "'a\\n\\x01\\xff'");
  EXPECT_EQ(Quoted("gr\xc3\xbc\xc3\x9f"), "'gr\xc3\xbc\xc3\x9f'");
  EXPECT_EQ(Quoted("abcdef", 3), "'abc'...");
  EXPECT_EQ(Quoted("abc", 3), "'abc'");
  EXPECT_EQ(Quoted("abc", 0), "''...");
  EXPECT_EQ(Quoted(""), "''");
  EXPECT_EQ(Quoted("\t\x1f \x7e\x7f"), "'\\t\\x1f ~\\x7f'");
  EXPECT_EQ(Quoted("gr\xc3\xbc\xc3\x9f", 3), "'gr\xc3\xbc'...") << "characters stay whole";
}

TEST(Utf8Test, AcceptsOnlyWellFormedText) {
  for (const char* good : {"", "a", "\xc2\x80", "\xe0\xa0\x80", "\xf4\x8f\xbf\xbf"}) {
    EXPECT_TRUE(IsValidUtf8(good)) << Quoted(good);
  }
  for (const char* bad : {"\x80", "\xc0\x80", "\xe0\x9f\xbf", "\xed\xa0\x80", "\xf4\x90\x80\x80",
                          "\xf0\x8f\xbf\xbf", "\xe2\x82", "\xff"}) {
    EXPECT_FALSE(IsValidUtf8(bad)) << Quoted(bad);
  }
}

// Every byte of a sequence matters, at any position of the sequence.
TEST(Utf8Test, ChecksEveryByte) {
  const std::string good[] = {
      "\xc2\x80",     "\xdf\xbf",     "\xe0\xa0\x80",     "\xec\xbf\xbf",     "\xed\x9f\xbf",
      "\xee\x80\x80", "\xef\xbf\xbf", "\xf0\x90\x80\x80", "\xf3\xbf\xbf\xbf", "\xf4\x8f\xbf\xbf"};
  for (const std::string& sequence : good) {
    for (size_t before = 0; before <= 17; ++before) {
      const std::string text = std::string(before, 'a') + sequence + "bcdefghij";
      EXPECT_TRUE(IsValidUtf8(text)) << Quoted(text);
      EXPECT_FALSE(IsValidUtf8(text.substr(0, before + sequence.size() - 1))) << Quoted(text);
      for (size_t i = 1; i < sequence.size(); ++i) {
        for (const char bad : {'a', '\x7f', '\xc0'}) {
          std::string broken = text;
          broken[before + i] = bad;
          EXPECT_FALSE(IsValidUtf8(broken)) << Quoted(broken);
        }
      }
    }
  }
  for (const char* bad :
       {"\xc1\xbf", "\xf5\x80\x80\x80", "\xbf", "abcdefgh\x80", "abcdefghi\xff"}) {
    EXPECT_FALSE(IsValidUtf8(bad)) << Quoted(bad);
  }
}

TEST(StringsTest, NumbersAreParsedToTheirEnd) {
  EXPECT_EQ(ParseNumber<double>("1.5"), 1.5);
  EXPECT_EQ(ParseNumber<double>("-2e3"), -2000);
  EXPECT_EQ(ParseNumber<double>("-inf"), -std::numeric_limits<double>::infinity());
  EXPECT_EQ(ParseNumber<int>("-7"), -7);
  EXPECT_EQ(ParseNumber<uint16_t>("65535"), 65535);
  EXPECT_EQ(ParseNumber<uint16_t>("65536"), std::nullopt);
  EXPECT_EQ(ParseNumber<uint64_t>("-1"), std::nullopt);
  for (const char* text : {"", " 1", "1 ", "+1", "x", "1x", "0x1"}) {
    EXPECT_EQ(ParseNumber<int>(text), std::nullopt) << text;
    EXPECT_EQ(ParseNumber<double>(text), std::nullopt) << text;
  }
}

TEST(StringsTest, EachInvalidByteIsReplaced) {
  const std::string replaced = "\xEF\xBF\xBD";
  const struct {
    std::string text, expected;
  } kCases[] = {{"", ""},
                {"plain é €", "plain é €"},
                {"\xff", replaced},
                {"a\xff", "a" + replaced},
                {"\xff\xfe", replaced + replaced},
                {"\xc3", replaced},
                {"\xe2\x82", replaced + replaced},
                {"é\xc3", "é" + replaced},
                {"\x80€", replaced + "€"},
                {"\xffzé", replaced + "zé"}};
  for (const auto& c : kCases) EXPECT_EQ(CoerceToUtf8(c.text), c.expected);
}

}  // namespace
}  // namespace stagedoor

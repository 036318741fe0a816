#include "scene/usda/text_format.h"

#include <charconv>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <random>
#include <string>

#include "gtest/gtest.h"

namespace stagedoor::usda {
namespace {

std::string Text(float value) {
  std::string out;
  AppendFloat(value, &out);
  return out;
}
std::string Text(double value) {
  std::string out;
  AppendDouble(value, &out);
  return out;
}
float Parse(const std::string& text, float) { return std::strtof(text.c_str(), nullptr); }
double Parse(const std::string& text, double) { return std::strtod(text.c_str(), nullptr); }

// Significant digits of a number's text.
size_t Digits(std::string text) {
  text = text.substr(0, text.find('e'));
  std::erase_if(text, [](char c) { return c == '-' || c == '.'; });
  text.erase(0, text.find_first_not_of('0'));
  while (!text.empty() && text.back() == '0') text.pop_back();
  return text.size();
}

template <typename T>
void ExpectShortest(T value) {
  const std::string text = Text(value);
  const T parsed = Parse(text, T());
  EXPECT_EQ(std::memcmp(&parsed, &value, sizeof(T)), 0) << text;
  char buffer[64];
  const auto result =
      std::to_chars(buffer, buffer + sizeof(buffer), value, std::chars_format::scientific);
  EXPECT_EQ(Digits(text), Digits(std::string(buffer, result.ptr))) << text;
  EXPECT_LT(text.size(), kMaxNumberText);
}

TEST(TextFormatTest, NumbersLookAsInOpenUsd) {
  for (const auto& [value, text] : {std::pair(0.5, "0.5"),
                                    {-0.0, "-0"},
                                    {0.0, "0"},
                                    {-12.25, "-12.25"},
                                    {1e6, "1000000"},
                                    {0.000001, "0.000001"},
                                    {0.00000012, "1.2e-7"},
                                    {1e14, "100000000000000"},
                                    {1e15, "1e15"},
                                    {1.5e300, "1.5e300"},
                                    {-2.5e-300, "-2.5e-300"},
                                    {0.1 + 0.2, "0.30000000000000004"},
                                    {1234567890.125, "1234567890.125"}}) {
    EXPECT_EQ(Text(value), text);
  }
  EXPECT_EQ(Text(0.1f), "0.1");
  EXPECT_EQ(Text(16777215.0f), "16777215");
  EXPECT_EQ(Text(743051776.0f), "743051800");
  EXPECT_EQ(Text(std::numeric_limits<float>::infinity()), "inf");
  EXPECT_EQ(Text(-std::numeric_limits<double>::infinity()), "-inf");
  EXPECT_EQ(Text(std::nan("")), "nan");
}

TEST(TextFormatTest, RandomNumbersReadBackAndAreShortest) {
  std::mt19937_64 random(7);
  for (int i = 0; i < 100000; ++i) {
    const uint64_t bits = random();
    float f;
    double d;
    std::memcpy(&f, &bits, sizeof(f));
    std::memcpy(&d, &bits, sizeof(d));
    if (std::isfinite(f)) ExpectShortest(f);
    if (std::isfinite(d)) ExpectShortest(d);
  }
}

TEST(TextFormatTest, NumbersOfFewDecimalsReadBackAndAreShortest) {
  std::mt19937_64 random(8);
  for (int i = 0; i < 100000; ++i) {
    const double power = std::pow(10, random() % 9);
    const auto whole = static_cast<int64_t>(random() >> random() % 64);
    const double value = static_cast<double>(whole) / power;
    ExpectShortest(value);
    ExpectShortest(static_cast<float>(value));
    ExpectShortest(std::nextafter(value, 0.0));
    ExpectShortest(std::nextafter(static_cast<float>(value), 0.0f));
  }
}

// As in OpenUSD, whose writers end all texts there.
TEST(TextFormatTest, TextsEndAtTheirFirstZeroByte) {
  std::string out;
  AppendQuoted(std::string_view("a\0b", 3), &out);
  AppendQuoted(std::string_view("\0", 1), &out);
  AppendQuoted(std::string_view("c\0\n\"", 4), &out);  // the quotes are those of the whole text
  AppendAsset(std::string_view("b\0@", 3), &out);
  EXPECT_EQ(out, "\"a\"\"\"'''c'''@b@");
}

}  // namespace
}  // namespace stagedoor::usda

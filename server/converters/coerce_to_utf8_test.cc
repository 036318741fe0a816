#include "server/converters/coerce_to_utf8.h"

#include <gtest/gtest.h>

#include <string>

namespace stagedoor::server {
namespace {

#define REPLACED "\xEF\xBF\xBD"

TEST(CoerceToUtf8Test, ReplacesEachInvalidByte) {
  const struct {
    std::string text, expected;
  } kCases[] = {{"", ""},
                {"plain é €", "plain é €"},
                {"\xff", REPLACED},
                {"a\xff", "a" REPLACED},
                {"\xff\xfe", REPLACED REPLACED},
                {"\xc3", REPLACED},
                {"\xe2\x82", REPLACED REPLACED},
                {"é\xc3", "é" REPLACED},
                {"\x80€", REPLACED "€"},
                {"\xffzé", REPLACED "zé"}};
  for (const auto& c : kCases) EXPECT_EQ(CoerceToUtf8(c.text), c.expected);
}

}  // namespace
}  // namespace stagedoor::server

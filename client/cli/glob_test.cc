#include "client/cli/glob.h"

#include <gtest/gtest.h>

#include <string>

namespace stagedoor {
namespace {

TEST(GlobTest, MatchesAsTheShellDoes) {
  const struct {
    const char* pattern;
    const char* text;
    bool matches;
  } kCases[] = {
      {"", "", true},          {"", "a", false},       {"*", "", true},
      {"*", "abc", true},      {"a*c", "abbc", true},  {"a*c", "abcd", false},
      {"*b*", "abc", true},    {"a?c", "abc", true},   {"a?c", "ac", false},
      {"?", "é", true},        {"?", "ab", false},     {"[a-c]x", "bx", true},
      {"[a-c]x", "dx", false}, {"[!a-c]", "d", true},  {"[!a-c]", "a", false},
      {"[^a]", "b", true},     {"[]a]", "]", true},    {"[a-]", "-", true},
      {"[a", "[a", true},      {"\\*", "*", true},     {"\\*", "a", false},
      {"[é-ü]", "ö", true},    {"*.x", "a.b.x", true}, {"a*b*c", "aXbXbXc", true},
      {"abc", "ab", false},    {"ab", "abc", false},   {"primvars:*", "primvars:st", true},
  };
  for (const auto& c : kCases) {
    EXPECT_EQ(GlobMatches(c.pattern, c.text), c.matches) << c.pattern << " on " << c.text;
  }
}

}  // namespace
}  // namespace stagedoor

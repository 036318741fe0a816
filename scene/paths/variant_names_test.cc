#include "scene/paths/variant_names.h"

#include <string>

#include "gtest/gtest.h"
#include "scene/paths/path.h"

namespace stagedoor {
namespace {

// The answers are OpenUSD's.
TEST(VariantNamesTest, TextPathsAndCratesHoldDifferentNames) {
  static constexpr struct {
    const char* name;
    bool text, path, crate;
  } kCases[] = {
      {"look", true, true, true},   {"look-dev", true, true, true},   {"a-", true, true, true},
      {"_-", true, true, true},     {"\xc3\xa9-1", true, true, true}, {"1v", true, false, true},
      {"123", true, false, true},   {"-a", true, false, true},        {"|", true, false, true},
      {"a|b", true, false, true},   {".a", true, false, true},        {".", true, false, true},
      {"..a", false, false, true},  {"a.b", false, false, true},      {"a b", false, false, true},
      {"a:b", false, false, true},  {"a/b", false, false, true},      {"`x`", false, false, true},
      {"a=b", false, false, false}, {"a{b", false, false, false},     {"a}b", false, false, false},
      {"\xff", false, false, false}};
  for (const auto& c : kCases) {
    const std::string name = c.name;
    EXPECT_EQ(IsVariantName(name), c.text) << name;
    EXPECT_EQ(Path::Parse("/A{" + name + "=v}B").ok(), c.path) << name;
    EXPECT_EQ(Path::Parse("/A{set=" + name + "}B").ok(), c.text) << name;
    EXPECT_EQ(IsCrateVariantName(name), c.crate) << name;
  }
  EXPECT_TRUE(IsVariantName("") && IsCrateVariantName(""));
  EXPECT_FALSE(Path::Parse("/A{=v}").ok());
}

TEST(VariantNamesTest, ExpressionsMayBeSelected) {
  for (const char* text : {"a", "", "1-a", "`${X}`"}) EXPECT_TRUE(IsVariantSelection(text)) << text;
  for (const char* text : {"a b", "`", "``", "`x"}) EXPECT_FALSE(IsVariantSelection(text)) << text;
}

}  // namespace
}  // namespace stagedoor

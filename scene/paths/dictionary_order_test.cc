#include "scene/paths/dictionary_order.h"

#include "gtest/gtest.h"

namespace stagedoor {
namespace {

// Recorded from OpenUSD's TfDictionaryLessThan.
TEST(DictionaryOrderTest, OrdersPairsAsOpenUsdDoes) {
  const struct {
    const char* less;
    const char* greater;
  } kCases[] = {
      {"A", "a"},
      {"Ab", "aB"},
      {"_", "a"},
      {"_", "Z"},
      {"1", "_"},
      {"a:b", "a_b"},
      {"a:b", "ab"},
      {"a9", "a10"},
      {"a1", "a01"},
      {"A01", "a1"},
      {"Aa01", "aA1"},
      {"0a", "00"},
      {"foo1", "fooa"},
      {"abc10", "ABD"},
      {"z", "é"},
      {"É", "é"},
      {"a", "ab"},
      {"", "a"},
      {"skel:blendShapes", "skel:blendShapeTargets"},
      {"99999999999999999999999", "100000000000000000000000"},
      {"a1b", "a1c"},
      {"a1b", "a01b"},
      {"a01b", "a1c"},
      {"a0", "a1"},
      {"a0", "a00"},
      {"a0a1", "a00b"},
      {"[", "]"},
      {"@", "a"},
      {"`", "a"},
      {"^A", "_a"},
      {"A{", "a~"},
      {"Zz", "zZ"},
      {"a2", "a12"},
      {"a12", "a21"},
  };
  for (const auto& c : kCases) {
    EXPECT_LT(CompareDictionaryOrder(c.less, c.greater), 0) << c.less << " < " << c.greater;
    EXPECT_GT(CompareDictionaryOrder(c.greater, c.less), 0) << c.greater << " > " << c.less;
    EXPECT_EQ(CompareDictionaryOrder(c.less, c.less), 0) << c.less;
  }
}

}  // namespace
}  // namespace stagedoor

#include "client/cli/text_table.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace stagedoor {
namespace {

using Lines = std::vector<std::string>;

TEST(TextTableTest, ColumnsAreAsWideAsTheirContent) {
  TextTable table({{"N", TextTable::Align::kRight}, {"NAME"}, {"X"}});
  EXPECT_TRUE(table.empty());
  table.Add({"5", "été", "x"});
  table.Add({"123", "a", ""});
  EXPECT_FALSE(table.empty());
  EXPECT_EQ(table.Lines(), (Lines{"  N  NAME  X", "  5  été   x", "123  a"}));
}

TEST(TextTableTest, EmptyColumnsAreLeftOut) {
  TextTable table({{"A"}, {"B"}, {"C"}});
  table.Add({"1", "", "3"});
  EXPECT_EQ(table.Lines(), (Lines{"A  C", "1  3"}));
}

TEST(TextTableTest, LongCellsKeepTheirEnd) {
  TextTable table({{"PATH", TextTable::Align::kLeft, 6}, {"B"}});
  table.Add({"/show/a.usda", "1"});
  table.Add({"/b", "2"});
  EXPECT_EQ(table.Lines(), (Lines{"PATH    B", "….usda  1", "/b      2"}));
}

}  // namespace
}  // namespace stagedoor

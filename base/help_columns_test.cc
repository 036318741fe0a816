#include "base/help_columns.h"

#include <gtest/gtest.h>

namespace stagedoor {
namespace {

TEST(HelpColumnsTest, PadsToTheColumn) {
  EXPECT_EQ(LeftColumn("  ls", 8), "  ls    ");
  EXPECT_EQ(LeftColumn("", 3), "   ");
}

TEST(HelpColumnsTest, LeavesAtLeastTwoSpaces) {
  EXPECT_EQ(LeftColumn("123456", 8), "123456  ");
  EXPECT_EQ(LeftColumn("1234567", 8), "1234567  ");
  EXPECT_EQ(LeftColumn("123456789", 8), "123456789  ");
}

TEST(HelpColumnsTest, CountsCharactersNotBytes) { EXPECT_EQ(LeftColumn("PATH…", 8), "PATH…   "); }

}  // namespace
}  // namespace stagedoor

#include "client/cli/safe_text.h"

#include <gtest/gtest.h>

namespace stagedoor {
namespace {

TEST(SafeTextTest, ControlsAndInvalidTextAreEscaped) {
  EXPECT_EQ(SafeText("/show/été.usda"), "/show/été.usda");
  EXPECT_EQ(SafeText("a\x1b[2Jb\nc\td"), "a\\x1b[2Jb\\nc\\td");
  EXPECT_EQ(SafeText("\xff\x7f"), "\\xff\\x7f");
  EXPECT_EQ(SafeText("a\xc2\x9b"
                     "2J"),
            "a\\u009b2J")
      << "the control sequence introducer of C1";
  EXPECT_EQ(SafeText("\xc2\x80\xc2\x9f\xc2\xa0"), "\\u0080\\u009f\xc2\xa0");
  EXPECT_EQ(SafeText(""), "");
  EXPECT_EQ(SafeText(std::string(5000, 'x')).size(), 5000u) << "whole";
}

TEST(SafeTextTest, CutsByCharacters) {
  EXPECT_EQ(CutText("été", 3), "été");
  EXPECT_EQ(CutText("étés", 3), "ét…");
  EXPECT_EQ(CutText("étés", 3, true), "…és");
  EXPECT_EQ(CutText("étés", 1), "…");
  EXPECT_EQ(CutText("étés", 1, true), "…");
  EXPECT_EQ(CutText("étés", 0), "");
  EXPECT_EQ(CountColumns("été…"), 4u);
}

}  // namespace
}  // namespace stagedoor

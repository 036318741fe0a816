#include "base/closest_word.h"

#include <gtest/gtest.h>

namespace stagedoor {
namespace {

TEST(ClosestWordTest, FindsWhatWasMeant) {
  const std::vector<std::string> words = {"time", "times", "timeout", "session", "mask"};
  EXPECT_EQ(ClosestWord("sesion", words), "session");
  EXPECT_EQ(ClosestWord("tiems", words), "time") << "the first of those that are as close";
  EXPECT_EQ(ClosestWord("masks", words), "mask");
  EXPECT_EQ(ClosestWord("colour", words), "");
  EXPECT_EQ(ClosestWord("", words), "");
  EXPECT_EQ(ClosestWord(std::string(1000000, 'x'), words), "");
}

}  // namespace
}  // namespace stagedoor

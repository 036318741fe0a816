#include "base/closest_match.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace stagedoor {
namespace {

TEST(ClosestMatchTest, FindsTheIntendedWord) {
  const std::vector<std::string> words = {"time", "times", "timeout", "session", "mask"};
  EXPECT_EQ(ClosestMatch("sesion", words), "session");
  EXPECT_EQ(ClosestMatch("tiem", words), "time");
  EXPECT_EQ(ClosestMatch("tiems", words), "times");
  EXPECT_EQ(ClosestMatch("timex", words), "time") << "the first of equally close words";
  EXPECT_EQ(ClosestMatch("masks", words), "mask");
  EXPECT_EQ(ClosestMatch("colour", words), "");
  EXPECT_EQ(ClosestMatch("", words), "");
  EXPECT_EQ(ClosestMatch(std::string(1000000, 'x'), words), "");
}

TEST(ClosestMatchTest, UpToAThirdOfTheCharactersMayDiffer) {
  static constexpr struct {
    const char* typed;
    const char* word;
    bool close;
  } kCases[] = {
      {"a", "b", true},
      {"a", "bc", false},
      {"ab", "cd", false},
      {"abcd", "abcx", true},
      {"abcd", "abxy", false},
      {"abcde", "abcxy", true},
      {"abcde", "abxyz", false},
      {"abcdefgh", "xyzdefgh", true},
      {"abcdefg", "xyzdefg", false},
      {"abc", "abcd", true},
      {"abcd", "bcd", true},
      {"abcd", "abdc", true},
      {"abcd", "bacx", false},
      {"abcd", "dbca", false},
      {"abcde", "badce", true},
      {"abcdef", "bcdefa", true},
  };
  for (const auto& c : kCases) {
    EXPECT_EQ(ClosestMatch(c.typed, {c.word}), c.close ? c.word : "") << c.typed << " " << c.word;
  }
}

TEST(ClosestMatchTest, TheFirstOfEquallyCloseWordsWins) {
  EXPECT_EQ(ClosestMatch("cat", {"bat", "hat"}), "bat");
  EXPECT_EQ(ClosestMatch("cat", {"hat", "bat"}), "hat");
}

TEST(ClosestMatchTest, WordsOfMoreThanAHundredCharactersMatchNothing) {
  const std::string hundred(100, 'x');
  EXPECT_EQ(ClosestMatch(hundred, {hundred}), hundred);
  EXPECT_EQ(ClosestMatch(hundred + "x", {hundred + "x"}), "");
}

TEST(ClosestMatchTest, TheClosestWinsAtAnyPosition) {
  EXPECT_EQ(ClosestMatch("abcdef", {"abcdxy", "abcdex", "abcdyz"}), "abcdex");
  EXPECT_EQ(ClosestMatch("abcdef", {"abcdef", "abcdex"}), "abcdef");
  EXPECT_EQ(ClosestMatch(std::string(100, 'x'), {std::string(99, 'x')}), std::string(99, 'x'));
  EXPECT_EQ(ClosestMatch(std::string(101, 'x'), {std::string(100, 'x')}), "");
}

}  // namespace
}  // namespace stagedoor

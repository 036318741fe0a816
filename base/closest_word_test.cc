#include "base/closest_word.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace stagedoor {
namespace {

TEST(ClosestWordTest, FindsTheIntendedWord) {
  const std::vector<std::string> words = {"time", "times", "timeout", "session", "mask"};
  EXPECT_EQ(ClosestWord("sesion", words), "session");
  EXPECT_EQ(ClosestWord("tiems", words), "time") << "the first of equally close words";
  EXPECT_EQ(ClosestWord("masks", words), "mask");
  EXPECT_EQ(ClosestWord("colour", words), "");
  EXPECT_EQ(ClosestWord("", words), "");
  EXPECT_EQ(ClosestWord(std::string(1000000, 'x'), words), "");
}

TEST(ClosestWordTest, UpToAThirdOfTheCharactersMayDiffer) {
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
      {"abcd", "abdc", false},
      {"abcde", "badce", false},
      {"abcdef", "bcdefa", true},
  };
  for (const auto& c : kCases) {
    EXPECT_EQ(ClosestWord(c.typed, {c.word}), c.close ? c.word : "") << c.typed << " " << c.word;
  }
}

TEST(ClosestWordTest, TheFirstOfEquallyCloseWordsWins) {
  EXPECT_EQ(ClosestWord("cat", {"bat", "hat"}), "bat");
  EXPECT_EQ(ClosestWord("cat", {"hat", "bat"}), "hat");
}

TEST(ClosestWordTest, WordsOfMoreThanAHundredCharactersMatchNothing) {
  const std::string hundred(100, 'x');
  EXPECT_EQ(ClosestWord(hundred, {hundred}), hundred);
  EXPECT_EQ(ClosestWord(hundred + "x", {hundred + "x"}), "");
}

TEST(ClosestWordTest, TheClosestWinsAtAnyPosition) {
  EXPECT_EQ(ClosestWord("abcdef", {"abcdxy", "abcdex", "abcdyz"}), "abcdex");
  EXPECT_EQ(ClosestWord("abcdef", {"abcdef", "abcdex"}), "abcdef");
  EXPECT_EQ(ClosestWord(std::string(100, 'x'), {std::string(99, 'x')}), std::string(99, 'x'));
  EXPECT_EQ(ClosestWord(std::string(101, 'x'), {std::string(100, 'x')}), "");
}

}  // namespace
}  // namespace stagedoor

#include "scene/values/dictionary.h"

#include <string>

#include "gtest/gtest.h"

namespace stagedoor {
namespace {

std::string Keys(const Dictionary& dictionary) {
  std::string keys;
  for (const auto& [key, value] : dictionary) keys += key + " ";
  return keys;
}

TEST(DictionaryTest, KeysAreSortedAndUnique) {
  Dictionary dictionary;
  for (const char* key : {"b", "a", "c", "a"}) dictionary.Set(key, Value(std::string(key)));
  EXPECT_EQ(Keys(dictionary), "a b c ");
  dictionary.Set("b", Value(1));
  EXPECT_EQ(*dictionary.Find("b"), Value(1));
  EXPECT_EQ(dictionary.size(), 3u);
}

TEST(DictionaryTest, OfEqualEntriesTheLastOneCounts) {
  const Dictionary dictionary = Dictionary::FromEntries(
      {{"b", Value(1)}, {"a", Value(2)}, {"b", Value(3)}, {"a", Value(4)}, {"b", Value(5)}});
  EXPECT_EQ(Keys(dictionary), "a b ");
  EXPECT_EQ(*dictionary.Find("a"), Value(4));
  EXPECT_EQ(*dictionary.Find("b"), Value(5));
  EXPECT_TRUE(Dictionary::FromEntries({}).empty());
}

TEST(DictionaryTest, RemovesOnlyWhatIsThere) {
  Dictionary dictionary = Dictionary::FromEntries({{"a", Value(1)}, {"c", Value(2)}});
  dictionary.Remove("b");
  dictionary.Remove("d");
  EXPECT_EQ(Keys(dictionary), "a c ");
  dictionary.Remove("a");
  EXPECT_EQ(Keys(dictionary), "c ");
  EXPECT_EQ(dictionary.Find("a"), nullptr);
  EXPECT_EQ(dictionary.Find("d"), nullptr);
}

TEST(DictionaryTest, KeyPathsWalkIntoDictionaries) {
  Dictionary inner, outer;
  inner.Set("x", Value(1));
  outer.Set("in", Value(inner));
  outer.Set("number", Value(2));
  EXPECT_EQ(*outer.FindByKeyPath("in:x"), Value(1));
  EXPECT_EQ(*outer.FindByKeyPath("number"), Value(2));
  EXPECT_EQ(*outer.FindByKeyPath("in"), Value(inner));
  for (const char* none : {"in:y", "number:x", "none", "none:x", "in:x:z", "", ":"}) {
    EXPECT_EQ(outer.FindByKeyPath(none), nullptr) << none;
  }
}

TEST(DictionaryTest, TheStrongerValueCountsKeyByKey) {
  Dictionary strong, weak, strong_inner, weak_inner;
  strong_inner.Set("both", Value(1));
  weak_inner.Set("both", Value(2));
  weak_inner.Set("weak", Value(3));
  strong.Set("inner", Value(strong_inner));
  strong.Set("other", Value(4));
  weak.Set("inner", Value(weak_inner));
  weak.Set("other", Value(weak_inner));
  weak.Set("z", Value(5));
  weak.Set("a", Value(6));
  const Dictionary both = Dictionary::Over(strong, weak);
  EXPECT_EQ(Keys(both), "a inner other z ");
  EXPECT_EQ(*both.FindByKeyPath("inner:both"), Value(1));
  EXPECT_EQ(*both.FindByKeyPath("inner:weak"), Value(3));
  EXPECT_EQ(*both.Find("other"), Value(4)) << "a number over a dictionary";
  EXPECT_EQ(Dictionary::Over(Dictionary(), weak), weak);
  EXPECT_EQ(Dictionary::Over(strong, Dictionary()), strong);
}

}  // namespace
}  // namespace stagedoor

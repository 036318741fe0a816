#include "scene/values/dictionary.h"

#include <random>
#include <string>
#include <utility>
#include <vector>

#include "base/pacer.h"
#include "base/request_context.h"
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

TEST(DictionaryTest, TheLastOfEqualKeysWins) {
  const Dictionary dictionary = Dictionary::FromEntries(
      {{"b", Value(1)}, {"a", Value(2)}, {"b", Value(3)}, {"a", Value(4)}, {"b", Value(5)}});
  EXPECT_EQ(Keys(dictionary), "a b ");
  EXPECT_EQ(*dictionary.Find("a"), Value(4));
  EXPECT_EQ(*dictionary.Find("b"), Value(5));
  EXPECT_TRUE(Dictionary::FromEntries({}).empty());
}

TEST(DictionaryTest, RemovingAnAbsentKeyDoesNothing) {
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

TEST(DictionaryTest, TheStrongerValueWinsKeyByKey) {
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

TEST(DictionaryTest, MergingAllAtOnceEqualsMergingOneByOne) {
  const auto number = [](int i) { return Value(static_cast<int32_t>(i)); };
  std::vector<Dictionary> all;
  for (int i = 0; i < 6; ++i) {
    Dictionary inner, outer;
    inner.Set("k" + std::to_string(i % 3), number(i));
    inner.Set("deep", i % 2 == 0 ? Value(inner) : number(i));
    outer.Set("a", i == 2 ? number(i) : Value(inner));
    outer.Set("b", i < 3 ? number(i) : Value(inner));
    outer.Set("only" + std::to_string(i), number(i));
    all.push_back(outer);
  }
  RequestContext context;
  Dictionary folded = all[0];
  std::vector<const Dictionary*> strongest_first = {&all[0]};
  for (size_t i = 1; i < all.size(); ++i) {
    folded = Dictionary::Over(folded, all[i]);
    strongest_first.push_back(&all[i]);
    EXPECT_EQ(Dictionary::Merge(context, strongest_first), folded) << i;
  }
}

// Has few different keys, so that many collide, and some nested dictionaries.
Dictionary RandomDictionary(std::mt19937& random, int levels) {
  Dictionary result;
  const uint32_t size = random() % 6;
  for (uint32_t i = 0; i < size; ++i) {
    const std::string key(1 + random() % 2, static_cast<char>('a' + random() % 4));
    const bool nested = levels > 0 && random() % 2 == 0;
    result.Set(key, nested ? Value(RandomDictionary(random, levels - 1))
                           : Value(static_cast<int32_t>(random() % 1000)));
  }
  return result;
}

TEST(DictionaryTest, MergingRandomDictionariesEqualsMergingOneByOne) {
  std::mt19937 random(7);
  RequestContext context;
  for (int round = 0; round < 2000; ++round) {
    std::vector<Dictionary> all(random() % 10);
    Dictionary folded;
    std::vector<const Dictionary*> strongest_first;
    for (Dictionary& one : all) {
      one = RandomDictionary(random, 3);
      folded = strongest_first.empty() ? one : Dictionary::Over(folded, one);
      strongest_first.push_back(&one);
    }
    ASSERT_EQ(Dictionary::Merge(context, strongest_first), folded) << round;
  }
}

// Creates `count` dictionaries of `size` entries, no two of which have a key in common.
std::vector<Dictionary> WithKeysOfTheirOwn(int count, int size) {
  std::vector<Dictionary> all;
  for (int i = 0; i < count; ++i) {
    std::vector<Dictionary::Entry> entries;
    for (int k = 0; k < size; ++k) {
      entries.emplace_back(std::to_string(k) + "/" + std::to_string(i), Value(k));
    }
    all.push_back(Dictionary::FromEntries(std::move(entries)));
  }
  return all;
}

Dictionary MergeAll(RequestContext& context, const std::vector<Dictionary>& all) {
  std::vector<const Dictionary*> strongest_first;
  for (const Dictionary& one : all) strongest_first.push_back(&one);
  return Dictionary::Merge(context, strongest_first);
}

TEST(DictionaryTest, MergingManyDictionariesIsNotQuadratic) {
  RequestContext context;
  constexpr size_t kEntries = 256 * 100;
  EXPECT_EQ(MergeAll(context, WithKeysOfTheirOwn(256, 100)).size(), kEntries);
  // Each entry is read, merged eight times and joined. Merging one by one would take 128 times as
  // many steps.
  EXPECT_GE(context.steps(), kEntries * 9);
  EXPECT_LE(context.steps(), kEntries * 12);
  EXPECT_EQ(context.reserved_bytes(), 0u);
}

TEST(DictionaryTest, MergingStopsWithTheRequest) {
  constexpr auto kNoDeadline = RequestContext::Clock::time_point::max();
  const std::vector<Dictionary> all = WithKeysOfTheirOwn(64, 1000);
  // Stops while entries are read, merged and joined.
  for (const uint64_t most : {10000, 100000, 480000}) {
    RequestContext few(kNoDeadline, {.max_steps = most});
    MergeAll(few, all);
    EXPECT_EQ(few.Check().code(), absl::StatusCode::kResourceExhausted) << most;
    EXPECT_LT(few.steps(), most + 3 * Pacer::kStride) << most;
  }
  RequestContext cancelled;
  cancelled.Cancel();
  EXPECT_TRUE(MergeAll(cancelled, all).empty());
  RequestContext little(kNoDeadline, {.max_bytes = 100000});
  MergeAll(little, all);
  EXPECT_EQ(little.Check().code(), absl::StatusCode::kResourceExhausted);
}

TEST(DictionaryTest, LongKeysCostMoreSteps) {
  std::vector<Dictionary> all(2);
  for (Dictionary& one : all) one.Set(std::string(1 << 20, 'k'), Value(1));
  RequestContext context;
  EXPECT_EQ(MergeAll(context, all).size(), 1u);
  EXPECT_GE(context.steps(), 4096u);
}

}  // namespace
}  // namespace stagedoor

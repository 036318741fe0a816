#include "base/recency_list.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <list>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

namespace stagedoor {
namespace {

using Numbers = RecencyList<std::string, int>;

std::vector<std::string> KeysOf(const Numbers& numbers) {
  std::vector<std::string> keys;
  for (const auto& [key, value] : numbers) keys.push_back(key);
  return keys;
}

using Keys = std::vector<std::string>;

TEST(RecencyListTest, IsInTheOrderOfUse) {
  Numbers numbers;
  numbers.Add("a", 1);
  numbers.Add("b", 2);
  numbers.Add("c", 3);
  EXPECT_EQ(KeysOf(numbers), (Keys{"c", "b", "a"}));
  numbers.Touch(numbers.Find("a"));
  EXPECT_EQ(KeysOf(numbers), (Keys{"a", "c", "b"}));
  EXPECT_EQ(numbers.oldest()->key, "b");
  EXPECT_EQ(numbers.Find("c")->value, 3);
  EXPECT_EQ(KeysOf(numbers), (Keys{"a", "c", "b"})) << "finding is not a use";
  EXPECT_EQ(numbers.Find("d"), numbers.end());
}

TEST(RecencyListTest, ErasingReturnsTheNextEntry) {
  Numbers numbers;
  for (const char* key : {"a", "b", "c"}) numbers.Add(key, 0);
  EXPECT_EQ(numbers.Erase(numbers.Find("b"))->key, "a");
  EXPECT_EQ(numbers.Erase(numbers.Find("a")), numbers.end());
  EXPECT_EQ(KeysOf(numbers), Keys{"c"});
  numbers.Add("a", 4);
  EXPECT_EQ(numbers.Find("a")->value, 4);
  numbers.Clear();
  EXPECT_TRUE(numbers.empty());
  EXPECT_EQ(numbers.Find("a"), numbers.end());
}

TEST(RecencyListTest, TakenEntriesOutliveTheList) {
  const auto value = std::make_shared<int>(1);
  RecencyList<int, std::shared_ptr<int>>::List taken;
  {
    RecencyList<int, std::shared_ptr<int>> list;
    list.Add(7, value);
    list.Add(8, value);
    EXPECT_EQ(list.Take(list.Find(8), &taken)->key, 7);
    EXPECT_EQ(list.Find(8), list.end());
    EXPECT_EQ(list.size(), 1u);
  }
  EXPECT_EQ(value.use_count(), 2);
  EXPECT_EQ(taken.front().key, 8);
}

// Random operations on a list and on a model of it: pairs in a plain list.
TEST(RecencyListTest, EqualsAPlainList) {
  std::mt19937 random(5);
  Numbers numbers;
  std::list<std::pair<std::string, int>> plain;
  for (int i = 0; i < 20000; ++i) {
    const std::string key = std::to_string(random() % 50);
    const auto known = std::find_if(plain.begin(), plain.end(),
                                    [&](const auto& entry) { return entry.first == key; });
    const auto found = numbers.Find(key);
    ASSERT_EQ(found == numbers.end(), known == plain.end());
    if (found == numbers.end()) {
      numbers.Add(key, i);
      plain.emplace_front(key, i);
    } else if (random() % 2 == 0) {
      ASSERT_EQ(found->value, known->second);
      numbers.Touch(found);
      plain.splice(plain.begin(), plain, known);
    } else {
      numbers.Erase(found);
      plain.erase(known);
    }
    ASSERT_EQ(numbers.size(), plain.size());
    if (!plain.empty()) {
      ASSERT_EQ(numbers.oldest()->key, plain.back().first);
    }
  }
  EXPECT_TRUE(std::equal(plain.begin(), plain.end(), numbers.begin(), numbers.end(),
                         [](const auto& a, const auto& b) { return a.second == b.value; }));
}

}  // namespace
}  // namespace stagedoor

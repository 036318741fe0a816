#include "server/upstream/array_store.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

namespace stagedoor::server {
namespace {

class ArrayStoreTest : public testing::Test {
 protected:
  MemoryPool pool_{"arrays", 1000};
  ArrayStore store_{pool_, 400};
};

TEST_F(ArrayStoreTest, ExpectsArraysOfTheLastReplyOfAKind) {
  store_.Keep("a", "1");
  store_.Keep("b", "22");
  store_.Remember("kind", {"a", "gone"});
  EXPECT_TRUE(store_.Expect("another").empty());
  const ArrayStore::Arrays expected = store_.Expect("kind");
  ASSERT_EQ(expected.size(), 1u);
  EXPECT_EQ(expected.at("a")->bytes, "1");
  store_.Remember("kind", {"b"});
  EXPECT_EQ(store_.Expect("kind").at("b")->bytes, "22");
  EXPECT_EQ(store_.Expect("kind").size(), 1u);
}

TEST_F(ArrayStoreTest, SavesWhatTheLastTwoRepliesHaveInCommon) {
  using Saved = std::vector<std::pair<std::string, std::vector<std::string>>>;
  Saved saved;
  store_.SetSave([&saved](const std::string& kind, std::vector<std::string> digests) {
    saved.emplace_back(kind, std::move(digests));
  });
  store_.Remember("kind", {"a", "b", "c"});
  EXPECT_TRUE(saved.empty()) << "nothing came twice";
  store_.Remember("kind", {"d", "b", "a"});
  EXPECT_EQ(saved, (Saved{{"kind", {"a", "b"}}}));
  store_.Remember("another", {"a"});
  store_.Remember("kind", {"e", "a", "b"});
  EXPECT_EQ(saved.size(), 1u) << "they are saved already";
  store_.Remember("kind", {"f", "a"});
  ASSERT_EQ(saved.size(), 2u);
  EXPECT_EQ(saved.back().second, (std::vector<std::string>{"a"}));
}

TEST_F(ArrayStoreTest, RestoredArraysAreExpectedUntilThereIsAReply) {
  int saved = 0;
  store_.SetSave([&saved](const std::string&, const std::vector<std::string>&) { ++saved; });
  EXPECT_FALSE(store_.Knows("kind"));
  store_.Restore("kind", {{"a", "1"}, {"b", "22"}});
  EXPECT_TRUE(store_.Knows("kind"));
  EXPECT_EQ(store_.Expect("kind").size(), 2u);
  EXPECT_EQ(store_.Find({"b", "none"}).at("b")->bytes, "22");
  store_.Remember("kind", {"a", "b", "c"});
  EXPECT_EQ(saved, 0) << "they are on disk already";
  store_.Restore("kind", {{"z", "3"}});
  EXPECT_FALSE(store_.Expect("kind").contains("z"));
}

TEST_F(ArrayStoreTest, EvictsTheLeastRecentlyUsedArrays) {
  for (const char* const digest : {"a", "b", "c", "d"}) store_.Keep(digest, std::string(100, '.'));
  store_.Remember("kind", {"a"});
  EXPECT_EQ(store_.Expect("kind").size(), 1u);  // used
  store_.Keep("e", std::string(100, '.'));
  store_.Remember("all", {"a", "b", "c", "d", "e"});
  const ArrayStore::Arrays kept = store_.Expect("all");
  EXPECT_EQ(kept.size(), 4u);
  EXPECT_FALSE(kept.contains("b"));
  EXPECT_EQ(store_.evictions(), 1u);
  EXPECT_EQ(store_.bytes(), 400u);
}

TEST_F(ArrayStoreTest, LargeArraysAreNotKept) {
  store_.Keep("a", std::string(101, '.'));
  EXPECT_EQ(store_.size(), 0u);
}

TEST_F(ArrayStoreTest, BytesCountUntilNobodyUsesThem) {
  store_.Keep("a", std::string(100, '.'));
  store_.Keep("a", std::string(100, '.'));
  store_.Remember("kind", {"a"});
  {
    const ArrayStore::Arrays held = store_.Expect("kind");
    const ArrayStore::Dropped dropped = store_.DropAll();
    EXPECT_EQ(dropped.entries, 1u);
    EXPECT_EQ(dropped.bytes, 100u);
    EXPECT_EQ(store_.bytes(), 0u);
    EXPECT_EQ(pool_.used(), 100u);
  }
  EXPECT_EQ(pool_.used(), 0u);
  EXPECT_TRUE(store_.Expect("kind").empty());
}

TEST_F(ArrayStoreTest, DigestsAreBounded) {
  store_.Keep("0", "1");
  std::vector<std::string> many(ArrayStore::kMaxExpected + 1, "0");
  many.back() = "1";
  store_.Keep("1", "1");
  store_.Remember("first", many);
  EXPECT_FALSE(store_.Expect("first").contains("1"));
  const size_t kinds = ArrayStore::kMaxDigests / ArrayStore::kMaxExpected;
  for (size_t i = 0; i < kinds; ++i) store_.Remember(std::to_string(i), many);
  EXPECT_TRUE(store_.Expect("first").empty());
  EXPECT_FALSE(store_.Expect("0").empty());
}

}  // namespace
}  // namespace stagedoor::server

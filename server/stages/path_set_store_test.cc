#include "server/stages/path_set_store.h"

#include <memory>
#include <string>
#include <vector>

#include "base/reservation.h"
#include "gtest/gtest.h"
#include "server/error_info.h"

namespace stagedoor::server {
namespace {

using Paths = google::protobuf::RepeatedPtrField<std::string>;

// `count` paths, which differ between lists of different letters.
Paths PathsOf(char letter, int count = 10) {
  Paths paths;
  for (int i = 0; i < count; ++i) *paths.Add() = Concat("/", letter, i);
  return paths;
}

class PathSetStoreTest : public testing::Test {
 protected:
  // The name of a list of "ada".
  std::string Define(PathSetStore& store, const Paths& paths) {
    RequestContext context;
    const auto name = store.Define(context, "ada", paths);
    EXPECT_TRUE(name.ok()) << name.status();
    return name.value_or("");
  }

  const std::shared_ptr<MemoryPool> pool_ = std::make_shared<MemoryPool>("test", size_t{1} << 20);
  PathSetStore store_{pool_, {.max_entries = 2}};
};

TEST_F(PathSetStoreTest, FindsAListByItsName) {
  const std::string name = Define(store_, PathsOf('a', 3));
  EXPECT_EQ(name.size(), 16u);
  const PathSetStore::Pointer found = store_.Find("ada", name);
  ASSERT_NE(found, nullptr);
  EXPECT_EQ(*found, (std::vector<std::string>{"/a0", "/a1", "/a2"}));
  EXPECT_EQ(store_.Find("ada", "another"), nullptr);
}

TEST_F(PathSetStoreTest, EqualListsHaveOneNameAndOthersHaveOthers) {
  Paths joined, split, swapped;
  *joined.Add() = "/a/b";
  for (const char* path : {"/a", "/b"}) *split.Add() = path;
  for (const char* path : {"/b", "/a"}) *swapped.Add() = path;
  const std::string name = Define(store_, split);
  EXPECT_EQ(Define(store_, split), name);
  EXPECT_EQ(store_.Stats().entries, 1u) << "kept once";
  EXPECT_NE(Define(store_, joined), name);
  EXPECT_NE(Define(store_, swapped), name);
}

TEST_F(PathSetStoreTest, AListIsKnownToItsCallerOnly) {
  const std::string name = Define(store_, PathsOf('a'));
  EXPECT_EQ(store_.Find("bob", name), nullptr);
  RequestContext context;
  EXPECT_EQ(*store_.Define(context, "bob", PathsOf('a')), name);
  EXPECT_NE(store_.Find("bob", name), nullptr);
}

TEST_F(PathSetStoreTest, EvictsWhatWasNotUsedForLongest) {
  const std::string first = Define(store_, PathsOf('a'));
  const std::string second = Define(store_, PathsOf('b'));
  EXPECT_NE(store_.Find("ada", first), nullptr);
  const std::string third = Define(store_, PathsOf('c'));
  EXPECT_EQ(store_.Find("ada", second), nullptr);
  EXPECT_NE(store_.Find("ada", first), nullptr);
  EXPECT_NE(store_.Find("ada", third), nullptr);
  EXPECT_EQ(store_.Stats().evictions, 1);
}

TEST_F(PathSetStoreTest, ListsThatAreReadAreNotEvicted) {
  const PathSetStore::Pointer held = store_.Find("ada", Define(store_, PathsOf('a')));
  const std::string other = Define(store_, PathsOf('b'));
  store_.Evict();
  EXPECT_EQ(store_.Find("ada", other), nullptr);
  EXPECT_EQ(store_.Stats().entries, 1u);
  EXPECT_EQ(held->size(), 10u);
}

TEST_F(PathSetStoreTest, ListsAreCharged) {
  const size_t before = pool_->used();
  Define(store_, PathsOf('a', 100));
  EXPECT_GE(pool_->used() - before, 100 * (sizeof(std::string) + 3));
  EXPECT_EQ(store_.Stats().bytes, pool_->used() - before);
  store_.Evict();
  EXPECT_EQ(pool_->used(), before);
}

TEST_F(PathSetStoreTest, KeepsAtMostAnEighthOfTheAccount) {
  EXPECT_EQ(store_.Stats().max_bytes, size_t{1} << 17);
  PathSetStore small(pool_, {.max_bytes = 1000});
  EXPECT_EQ(small.Stats().max_bytes, 1000u);
}

TEST_F(PathSetStoreTest, RefusesListsThatFillHalfOfIt) {
  RequestContext context;
  const auto refused = store_.Define(context, "ada", PathsOf('a', 2000));
  EXPECT_EQ(refused.status().code(), absl::StatusCode::kResourceExhausted);
  EXPECT_EQ(GetReason(refused.status()), v1::ERROR_REASON_REQUEST_TOO_LARGE);
  EXPECT_FALSE(context.failed());
}

TEST_F(PathSetStoreTest, KeepsNothingMoreOnceTheAccountIsFull) {
  Reservation others(pool_.get());
  others.Add(pool_->limit() + 1);
  RequestContext context;
  const auto refused = store_.Define(context, "ada", PathsOf('a'));
  EXPECT_EQ(GetReason(refused.status()), v1::ERROR_REASON_BUDGET_EXHAUSTED);
  EXPECT_EQ(store_.Stats().entries, 0u);
}

}  // namespace
}  // namespace stagedoor::server

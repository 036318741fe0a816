#include "scene/values/item_index.h"

#include <gtest/gtest.h>

#include <numeric>
#include <vector>

#include "base/testing/fail_each_allocation.h"

namespace stagedoor {
namespace {

// Few items, and so many that they are searched by hash.
class ItemIndexTest : public ::testing::TestWithParam<int> {
 protected:
  ItemIndexTest() { std::iota(items_.begin(), items_.end(), 0); }

  std::vector<int> items_ = std::vector<int>(static_cast<size_t>(GetParam()));
};

TEST_P(ItemIndexTest, NumbersItemsInTheOrderOfInsertion) {
  ItemIndex<int> index;
  for (auto item = items_.rbegin(); item != items_.rend(); ++item) {
    EXPECT_TRUE(index.Insert(*item));
  }
  const std::vector<int> equal = items_;
  for (const int& item : equal) {
    EXPECT_FALSE(index.Insert(item));
    EXPECT_EQ(index.Find(item), items_.size() - 1 - static_cast<size_t>(item));
  }
  EXPECT_EQ(index.Find(GetParam()), std::nullopt);
}

TEST_P(ItemIndexTest, SurvivesFailedAllocations) {
  const uint64_t allocations = FailEachAllocation([this] {
    ItemIndex<int> index;
    for (const int& item : items_) index.Insert(item);
  });
  EXPECT_GT(allocations, 0u);
}

INSTANTIATE_TEST_SUITE_P(Counts, ItemIndexTest, ::testing::Values(1, 16, 17, 18, 300));

}  // namespace
}  // namespace stagedoor

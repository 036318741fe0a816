#include "base/paced_sort.h"

#include <algorithm>
#include <functional>
#include <numeric>
#include <utility>
#include <vector>

#include "gtest/gtest.h"

namespace stagedoor {
namespace {

using Pairs = std::vector<std::pair<int, int>>;

bool ByFirst(const std::pair<int, int>& a, const std::pair<int, int>& b) {
  return a.first < b.first;
}

TEST(PacedStableSortTest, EqualElementsKeepTheirOrder) {
  RequestContext context;
  Pacer pacer(context);
  Pairs pairs = {{2, 0}, {1, 1}, {2, 2}, {0, 3}, {1, 4}};
  EXPECT_TRUE(PacedStableSort(pacer, pairs.begin(), pairs.end(), ByFirst).ok());
  EXPECT_EQ(pairs, (Pairs{{0, 3}, {1, 1}, {1, 4}, {2, 0}, {2, 2}}));
}

TEST(PacedStableSortTest, SortedInputCostsOneComparisonPerElement) {
  RequestContext context;
  std::vector<int> numbers(100);
  std::iota(numbers.begin(), numbers.end(), 0);
  {
    Pacer pacer(context);
    EXPECT_TRUE(PacedStableSort(pacer, numbers.begin(), numbers.end(), std::less<>()).ok());
  }
  EXPECT_EQ(context.steps(), 99u);
}

// Each element is still present once, at whatever point the request ended.
TEST(PacedStableSortTest, AnEndedRequestLosesNoElement) {
  constexpr size_t kCount = 5000;
  for (const uint64_t most : {1u, 2000u, 10000u, 20000u}) {
    RequestContext context(RequestContext::Clock::time_point::max(), {.max_steps = most});
    std::vector<int> numbers(kCount);
    std::iota(numbers.begin(), numbers.end(), 0);
    std::swap(numbers[0], numbers[1]);
    std::reverse(numbers.begin() + kCount / 2, numbers.end());
    Pacer pacer(context);
    EXPECT_EQ(PacedStableSort(pacer, numbers.begin(), numbers.end(), std::less<>()).code(),
              absl::StatusCode::kResourceExhausted)
        << most;
    std::sort(numbers.begin(), numbers.end());
    for (size_t i = 0; i < kCount; ++i) ASSERT_EQ(numbers[i], static_cast<int>(i)) << most;
  }
}

TEST(PacedStableSortTest, ARequestThatEndsBeforeTheOrderIsKnownFails) {
  RequestContext context(RequestContext::Clock::time_point::max(), {.max_steps = 2000});
  std::vector<int> numbers(10000);
  std::iota(numbers.begin(), numbers.end(), 0);
  Pacer pacer(context);
  EXPECT_EQ(PacedStableSort(pacer, numbers.begin(), numbers.end(), std::less<>()).code(),
            absl::StatusCode::kResourceExhausted)
      << "it is not known whether they are in order";
}

}  // namespace
}  // namespace stagedoor

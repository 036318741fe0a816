#include "base/request_context.h"

#include "base/byte_budget.h"
#include "base/strings.h"
#include "gtest/gtest.h"

namespace stagedoor {
namespace {

TEST(RequestContextTest, IsAliveWithoutDeadline) {
  RequestContext context;
  EXPECT_TRUE(context.Check().ok());
  EXPECT_FALSE(context.has_deadline());
}

TEST(RequestContextTest, EndsByDeadlineOrCancellation) {
  RequestContext late(RequestContext::Clock::now() - std::chrono::seconds(1));
  EXPECT_EQ(late.Check().code(), absl::StatusCode::kDeadlineExceeded);
  RequestContext context(RequestContext::Clock::now() + std::chrono::hours(1));
  EXPECT_TRUE(context.Check().ok());
  context.Cancel();
  EXPECT_EQ(context.Check().code(), absl::StatusCode::kCancelled);
}

TEST(RequestContextTest, CountsAndBoundsWarnings) {
  RequestContext context;
  context.Add(Counter::kAssetOpens);
  context.Add(Counter::kAssetOpens, 2);
  EXPECT_EQ(context.count(Counter::kAssetOpens), 3);
  context.Warn("same");
  context.Warn("same");
  EXPECT_EQ(context.warnings().size(), 1u);
  for (int i = 0; i < 100; ++i) context.Warn(Concat("w", i));
  EXPECT_EQ(context.warnings().size(), RequestContext::kMaxWarnings);
  EXPECT_EQ(context.dropped_warnings(), 101 - RequestContext::kMaxWarnings);
}

TEST(ByteBudgetTest, RefusesWhatDoesNotFitAndTakesBack) {
  ByteBudget budget(100);
  auto first = budget.Reserve(60, "reply");
  ASSERT_TRUE(first.ok());
  EXPECT_EQ(budget.Reserve(41, "reply").status().code(), absl::StatusCode::kResourceExhausted);
  EXPECT_EQ(budget.Reserve(SIZE_MAX, "reply").status().code(),
            absl::StatusCode::kResourceExhausted);
  ByteBudget::Reservation moved = *std::move(first);
  EXPECT_EQ(budget.used(), 60u);
  moved.Release();
  EXPECT_EQ(budget.used(), 0u);
  EXPECT_TRUE(budget.Reserve(100, "reply").ok());
  EXPECT_EQ(budget.used(), 0u);
}

}  // namespace
}  // namespace stagedoor

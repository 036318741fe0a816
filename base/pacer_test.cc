#include "base/pacer.h"

#include "base/status.h"
#include "gtest/gtest.h"

namespace stagedoor {
namespace {

TEST(PacerTest, ARequestAboveItsLimitStopsWithinAStride) {
  RequestContext context(RequestContext::Clock::time_point::max(), {.max_steps = 10000});
  Pacer pacer(context);
  int64_t steps = 0;
  while (pacer.Go()) ++steps;
  EXPECT_GE(steps, 10000 - Pacer::kStride);
  EXPECT_LE(steps, 10000 + Pacer::kStride);
  EXPECT_FALSE(pacer.Go());
  EXPECT_EQ(pacer.Step().code(), absl::StatusCode::kResourceExhausted);
}

TEST(PacerTest, ACancelledRequestStopsWithinAStride) {
  RequestContext context;
  Pacer pacer(context);
  ASSERT_TRUE(pacer.Go());
  context.Cancel();
  int64_t steps = 0;
  while (pacer.Go()) ++steps;
  EXPECT_LE(steps, Pacer::kStride);
  EXPECT_EQ(context.Check().code(), absl::StatusCode::kCancelled);
}

TEST(PacerTest, ManyShortLoopsCheckAsOftenAsOneLongLoop) {
  RequestContext context;
  context.Cancel();
  int64_t steps = 0;
  for (bool alive = true; alive && steps < 10 * Pacer::kStride;) {
    Pacer pacer(context);
    for (int i = 0; i < 10 && alive; ++i, ++steps) alive = pacer.Go();
  }
  EXPECT_LE(steps, Pacer::kStride + 1);
}

TEST(PacerTest, ReportsItsStepsToTheContext) {
  RequestContext context;
  {
    Pacer pacer(context);
    for (int i = 0; i < 2500; ++i) ASSERT_TRUE(pacer.Go());
  }
  EXPECT_EQ(context.steps(), 2500u);
}

TEST(PacerTest, OneCallMayCountManySteps) {
  RequestContext context(RequestContext::Clock::time_point::max(), {.max_steps = 1000000});
  Pacer pacer(context);
  EXPECT_TRUE(pacer.Go(1000000));
  EXPECT_FALSE(pacer.Go(Pacer::kStride));
}

}  // namespace
}  // namespace stagedoor

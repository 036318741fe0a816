#include "base/reserved_bytes.h"

#include <utility>

#include "gtest/gtest.h"

namespace stagedoor {
namespace {

constexpr auto kNever = RequestContext::Clock::time_point::max();

TEST(ReservedBytesTest, ReturnsWhatItReserved) {
  RequestContext context(kNever, {.max_bytes = 100});
  {
    ReservedBytes bytes(context);
    EXPECT_TRUE(bytes.Grow(30, "scratch").ok());
    EXPECT_TRUE(bytes.Grow(40, "scratch").ok());
    ReservedBytes moved = std::move(bytes);
    EXPECT_EQ(moved.bytes(), 70u);
    EXPECT_EQ(context.reserved_bytes(), 70u);
  }
  EXPECT_EQ(context.reserved_bytes(), 0u);
}

TEST(ReservedBytesTest, AddsNothingAboveTheLimit) {
  RequestContext context(kNever, {.max_bytes = 100});
  {
    ReservedBytes bytes(context);
    EXPECT_TRUE(bytes.Grow(90, "scratch").ok());
    EXPECT_EQ(bytes.Grow(20, "scratch").code(), absl::StatusCode::kResourceExhausted);
    EXPECT_EQ(bytes.bytes(), 90u);
  }
  EXPECT_EQ(context.reserved_bytes(), 0u);
  EXPECT_TRUE(context.failed());
}

}  // namespace
}  // namespace stagedoor

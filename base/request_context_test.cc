#include "base/request_context.h"

#include <chrono>
#include <memory>
#include <utility>

#include "base/memory_pool.h"
#include "base/reservation.h"
#include "base/status.h"
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

TEST(RequestContextTest, KeepsTheFirstDistinctWarnings) {
  RequestContext context;
  EXPECT_EQ(context.warning_count(), 0u);
  const auto warn = [&](std::string message) {
    context.Warn({Warning::Kind::kMissingAsset, "a.usda", "/P", std::move(message)});
  };
  warn("same");
  warn("same");
  EXPECT_EQ(context.warning_count(), 1u);
  EXPECT_EQ(context.warnings().size(), 1u);
  context.Warn({Warning::Kind::kUnreadableAsset, "a.usda", "/P", "same"});
  EXPECT_EQ(context.warnings().size(), 2u) << "of another kind";
  for (int i = 0; i < 100; ++i) warn(Concat("w", i));
  EXPECT_EQ(context.warnings().size(), RequestContext::kMaxWarnings);
  EXPECT_EQ(context.warning_count(), RequestContext::kMaxWarnings);
  EXPECT_EQ(context.warnings().front().message, "same");
}

RequestContext::Clock::time_point Never() { return RequestContext::Clock::time_point::max(); }

TEST(RequestContextTest, KeepsTheFirstFailure) {
  RequestContext context;
  context.Fail(absl::OkStatus());
  EXPECT_FALSE(context.failed());
  context.Fail(DataLossError("first"));
  context.Fail(NotFoundError("second"));
  EXPECT_TRUE(context.failed());
  EXPECT_EQ(Message(context.Check()), "first");
}

TEST(RequestContextTest, WorkAboveTheLimitEndsTheRequest) {
  RequestContext context(Never(), {.max_steps = 10});
  EXPECT_TRUE(context.Spend(10).ok());
  EXPECT_EQ(context.Spend(1).code(), absl::StatusCode::kResourceExhausted);
  EXPECT_EQ(context.Check().code(), absl::StatusCode::kResourceExhausted);
}

TEST(RequestContextTest, OnlyStoppedWorkFailsTheContext) {
  RequestContext context;
  context.Cancel();
  EXPECT_FALSE(context.failed());
  EXPECT_EQ(context.Spend(1).code(), absl::StatusCode::kCancelled);
  EXPECT_TRUE(context.failed());
}

TEST(RequestContextTest, BytesAboveTheLimitEndTheRequest) {
  RequestContext context(Never(), {.max_bytes = 100});
  EXPECT_TRUE(context.Reserve(60, "a reply").ok());
  context.Release(20);
  EXPECT_TRUE(context.Reserve(60, "a reply").ok());
  EXPECT_EQ(context.reserved_bytes(), 100u);
  const absl::Status status = context.Reserve(1, "a reply");
  EXPECT_EQ(status.code(), absl::StatusCode::kResourceExhausted);
  EXPECT_FALSE(RetryDelay(status).has_value());
  EXPECT_EQ(context.reserved_bytes(), 100u);
  EXPECT_FALSE(context.Check().ok());
}

TEST(RequestContextTest, AllRequestsShareOnePool) {
  MemoryPool shared("test", 100);
  {
    RequestContext first(Never(), {.shared_bytes = &shared});
    RequestContext second(Never(), {.shared_bytes = &shared});
    EXPECT_TRUE(first.Reserve(60, "a reply").ok());
    const absl::Status refused = second.Reserve(60, "a reply");
    EXPECT_EQ(refused.code(), absl::StatusCode::kResourceExhausted);
    EXPECT_TRUE(RetryDelay(refused).has_value());
    EXPECT_EQ(second.reserved_bytes(), 0u);
    first.Release(10);
    EXPECT_EQ(shared.used(), 50u);
  }
  EXPECT_EQ(shared.used(), 0u);
}

TEST(RequestContextTest, LargeRequestsLeaveBytesToSmallOnes) {
  constexpr size_t kMiB = size_t{1} << 20;
  MemoryPool shared("test", 32 * kMiB);
  RequestContext large(Never(), {.shared_bytes = &shared});
  EXPECT_TRUE(large.Reserve(30 * kMiB, "a reply").ok());
  RequestContext small(Never(), {.shared_bytes = &shared});
  EXPECT_TRUE(small.Reserve(kSmallPoolBytes, "a reply").ok());
  RequestContext growing(Never(), {.shared_bytes = &shared});
  EXPECT_TRUE(growing.Reserve(kSmallPoolBytes, "a reply").ok());
  EXPECT_EQ(growing.Reserve(1, "a reply").code(), absl::StatusCode::kResourceExhausted);
}

TEST(RequestContextTest, KeepsDiscardedObjectsUntilTheyAreTaken) {
  RequestContext context;
  auto made = std::make_shared<const int>(1);
  const std::weak_ptr<const int> watched = made;
  context.DeferDestruction(std::move(made));
  EXPECT_FALSE(watched.expired());
  EXPECT_EQ(context.TakeDeferred().size(), 1u);
  EXPECT_TRUE(watched.expired());
  EXPECT_TRUE(context.TakeDeferred().empty());
}

TEST(RequestContextTest, OneStepAboveTheLimitIsTooMany) {
  RequestContext at_once(Never(), {.max_steps = 10});
  EXPECT_EQ(Message(at_once.Spend(11)),
            "the request exceeds the limit of 10 steps of work; request less at once, or raise "
            "--max-call-steps");
  RequestContext twice(Never(), {.max_steps = 10});
  EXPECT_TRUE(twice.Spend(4).ok());
  EXPECT_TRUE(twice.Spend(6).ok());
  EXPECT_TRUE(twice.Spend(0).ok());
  EXPECT_FALSE(twice.Spend(1).ok());
}

TEST(RequestContextTest, MessagesNameWhatDoesNotFit) {
  RequestContext context(Never(), {.max_bytes = 100});
  EXPECT_EQ(Message(context.Reserve(101, "a reply")),
            "a reply: the request exceeds the limit of 100 bytes; request less at once, or raise "
            "--max-call-bytes");
  EXPECT_EQ(context.reserved_bytes(), 0u);
  RequestContext full(Never(), {.max_bytes = 100});
  EXPECT_TRUE(full.Reserve(100, "a reply").ok());
}

// A sixteenth of the budget is left to small requests.
TEST(RequestContextTest, LargeRequestsMayTakeAllButASixteenth) {
  constexpr size_t kMiB = size_t{1} << 20;
  for (const auto& [bytes, fits] : {std::pair(30 * kMiB, true), std::pair(30 * kMiB + 1, false)}) {
    MemoryPool shared("test", 32 * kMiB);
    RequestContext large(Never(), {.shared_bytes = &shared});
    EXPECT_EQ(large.Reserve(bytes, "a reply").ok(), fits) << bytes;
    EXPECT_EQ(shared.used(), fits ? bytes : 0);
  }
  MemoryPool shared("test", 32 * kMiB);
  RequestContext growing(Never(), {.shared_bytes = &shared});
  EXPECT_TRUE(growing.Reserve(10 * kMiB, "a reply").ok());
  EXPECT_TRUE(growing.Reserve(20 * kMiB, "a reply").ok());
  EXPECT_FALSE(growing.Reserve(1, "a reply").ok());
  EXPECT_EQ(growing.reserved_bytes(), 30 * kMiB);
}

TEST(RequestContextTest, IsThePoolOfItsCall) {
  MemoryPool calls("calls", 100);
  RequestContext context(Never(), {.max_bytes = 80, .shared_bytes = &calls});
  EXPECT_EQ(context.name(), "call");
  EXPECT_EQ(context.limit(), 80u);
  Reservation scratch(context);
  EXPECT_EQ(scratch.pool(), &context);
  EXPECT_TRUE(scratch.Grow(50, "scratch").ok());
  EXPECT_TRUE(context.Reserve(10, "a reply").ok());
  EXPECT_EQ(context.reserved_bytes(), 60u);
  EXPECT_EQ(calls.used(), 60u);
}

TEST(RequestContextTest, AReservationThatIsRefusedEndsTheRequest) {
  RequestContext context(Never(), {.max_bytes = 100});
  {
    Reservation scratch(context);
    EXPECT_TRUE(scratch.Grow(90, "scratch").ok());
    EXPECT_EQ(context.reserved_bytes(), 90u);
    EXPECT_FALSE(context.failed());
    EXPECT_EQ(Message(scratch.Grow(20, "scratch")),
              "scratch: the request exceeds the limit of 100 bytes; request less at once, or raise "
              "--max-call-bytes");
    EXPECT_EQ(scratch.bytes(), 90u);
  }
  EXPECT_EQ(context.reserved_bytes(), 0u);
  EXPECT_TRUE(context.failed());
}

TEST(RequestContextTest, ARefusalReportsTheFirstErrorOfTheRequest) {
  RequestContext context(Never(), {.max_bytes = 100});
  context.Fail(absl::DataLossError("overwritten"));
  Reservation scratch(context);
  EXPECT_TRUE(scratch.Grow(100, "scratch").ok());
  EXPECT_EQ(scratch.Grow(1, "scratch").code(), absl::StatusCode::kDataLoss);
}

}  // namespace
}  // namespace stagedoor

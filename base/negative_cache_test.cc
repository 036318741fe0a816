#include "base/negative_cache.h"

#include <gtest/gtest.h>

#include <string>

#include "base/status.h"

namespace stagedoor {
namespace {

using Memory = NegativeCache<std::string>;
using std::chrono::seconds;

const Memory::Clock::time_point kStart;

TEST(NegativeCacheTest, RemembersUntilExpiry) {
  Memory memory;
  memory.Remember("a", NotFoundError("no a"), kStart + seconds(5), {10});
  ASSERT_NE(memory.Find("a", kStart), nullptr);
  EXPECT_EQ(memory.Find("a", kStart)->code(), absl::StatusCode::kNotFound);
  EXPECT_EQ(memory.Find("b", kStart), nullptr);
  EXPECT_EQ(memory.Find("a", kStart + seconds(5)), nullptr);
  EXPECT_EQ(memory.size(), 0u);
}

TEST(NegativeCacheTest, TransientFailuresAreNotRemembered) {
  Memory memory;
  memory.Remember("a", UnavailableError("busy"), kStart + seconds(5), {10});
  memory.Remember("b", absl::CancelledError(), kStart + seconds(5), {10});
  EXPECT_EQ(memory.size(), 0u);
}

TEST(NegativeCacheTest, FailuresCausedByContentAreLasting) {
  using enum absl::StatusCode;
  for (const absl::StatusCode code : {kNotFound, kInvalidArgument, kDataLoss, kPermissionDenied,
                                      kFailedPrecondition, kUnimplemented}) {
    EXPECT_TRUE(IsPermanentError(MakeStatus(code, ""))) << code;
  }
  for (const absl::StatusCode code :
       {kOk, kCancelled, kUnknown, kDeadlineExceeded, kAlreadyExists, kResourceExhausted, kAborted,
        kOutOfRange, kInternal, kUnavailable, kUnauthenticated}) {
    EXPECT_FALSE(IsPermanentError(MakeStatus(code, ""))) << code;
  }
}

TEST(NegativeCacheTest, EvictsTheOldestAboveTheLimit) {
  Memory memory;
  for (const char* key : {"a", "b", "a", "c"}) {
    memory.Remember(key, NotFoundError("no ", key), kStart + seconds(5), {2});
  }
  EXPECT_EQ(memory.size(), 2u);
  EXPECT_EQ(memory.Find("b", kStart), nullptr);
  EXPECT_NE(memory.Find("a", kStart), nullptr);
  EXPECT_NE(memory.Find("c", kStart), nullptr);
}

TEST(NegativeCacheTest, IsBoundedByBytes) {
  Memory memory;
  const NegativeCacheLimits limits = {.entries = 1000, .bytes = 100000};
  const auto remember = [&](const std::string& key) {
    memory.Remember(key, NotFoundError("no ", key.substr(0, 10)), kStart + seconds(5), limits);
  };
  const std::string name(10000, 'n');
  remember("small");
  for (int i = 0; i < 100; ++i) {
    remember(std::to_string(i) + name);
    EXPECT_LE(memory.bytes(), limits.bytes);
  }
  EXPECT_EQ(memory.Find("small", kStart), nullptr);
  EXPECT_EQ(memory.Find("50" + name, kStart), nullptr);
  EXPECT_EQ(memory.Find("90" + name, kStart), nullptr);
  EXPECT_NE(memory.Find("91" + name, kStart), nullptr);
  EXPECT_NE(memory.Find("99" + name, kStart), nullptr);
  EXPECT_EQ(memory.size(), 9u);

  // A failure that alone exceeds the limit evicts no others.
  remember(std::string(120000, 'x'));
  EXPECT_EQ(memory.size(), 9u);
  for (int i = 91; i < 100; ++i) memory.Forget(std::to_string(i) + name);
  EXPECT_EQ(memory.bytes(), 0u);
}

TEST(NegativeCacheTest, MessagesCountTowardsTheLimit) {
  Memory memory;
  const std::string message(10000, 'm');
  for (const char* key : {"a", "b", "c"}) {
    memory.Remember(key, NotFoundError(message), kStart + seconds(5),
                    {.entries = 9, .bytes = 25000});
  }
  EXPECT_EQ(memory.size(), 2u);
  EXPECT_EQ(memory.Find("a", kStart), nullptr);
  EXPECT_GT(memory.bytes(), 20000u);
  memory.Clear();
  EXPECT_EQ(memory.bytes(), 0u);
}

TEST(NegativeCacheTest, ForgetsSingleAndMatchingKeys) {
  Memory memory;
  for (const char* key : {"a1", "a2", "b1"}) {
    memory.Remember(key, NotFoundError("no ", key), kStart + seconds(5), {10});
  }
  memory.ForgetIf([](const std::string& key) { return key[0] == 'a'; });
  EXPECT_EQ(memory.size(), 1u);
  memory.Forget("b1");
  EXPECT_EQ(memory.Find("b1", kStart), nullptr);
}

}  // namespace
}  // namespace stagedoor

#include "base/out_of_memory.h"

#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <new>
#include <string>

#include "base/lru_cache.h"
#include "base/negative_cache.h"
#include "base/request_scope.h"
#include "base/status.h"
#include "base/testing/fail_each_allocation.h"
#include "base/testing/failing_new.h"

namespace stagedoor {
namespace {

const std::string kKey = "a key that is longer than what fits into a string";

TEST(OutOfMemoryTest, AFailureIsReportedWithoutAllocating) {
  FailAllocations(1, /*all=*/true);
  absl::Status status, reported;
  {
    const RequestScope::Guard scope({.limits_memory = true});
    status = CatchOutOfMemory([]() -> absl::Status { throw std::bad_alloc(); },
                              [&](const absl::Status& why) { reported = why; });
  }
  StopFailingAllocations();
  EXPECT_EQ(status.code(), absl::StatusCode::kResourceExhausted);
  EXPECT_NE(Message(status), "");
  EXPECT_EQ(reported, status);
}

TEST(OutOfMemoryTest, APauseLetsAllocationsSucceed) {
  std::string copy;
  bool failed = false;
  FailAllocations(1, /*all=*/true);
  try {
    const RequestScope::Guard scope({.limits_memory = true});
    {
      const RequestMemoryExemption pause;
      copy = kKey;
    }
    copy += kKey;
  } catch (const std::bad_alloc&) {
    failed = true;
  }
  StopFailingAllocations();
  EXPECT_EQ(copy, kKey);
  EXPECT_TRUE(failed);
}

TEST(OutOfMemoryTest, CacheSizesStayCorrect) {
  LruCache<std::string, int> cache({.shards = 1});
  const auto value = std::make_shared<const int>(7);
  FailEachAllocation(
      [&] {
        RequestContext context;
        const auto loaded = cache.GetOrLoad(context, kKey, [&] {
          using Loaded = LruCache<std::string, int>::Loaded;
          return absl::StatusOr<Loaded>(Loaded{value, 100});
        });
        if (!loaded.ok()) throw std::bad_alloc();
      },
      [&] {
        const bool held = cache.Get(kKey) != nullptr;
        EXPECT_EQ(cache.bytes(), held ? 100u : 0u);
        EXPECT_EQ(cache.Stats().entries, held ? 1u : 0u);
      },
      /*all=*/true);
  EXPECT_NE(cache.Get(kKey), nullptr);
}

TEST(OutOfMemoryTest, AFailedLoadEndsTheRequest) {
  LruCache<std::string, int> cache({.shards = 1});
  FailEachAllocation(
      [&] {
        RequestContext context;
        const auto loaded = cache.GetOrLoad(context, kKey, [] {
          using Loaded = LruCache<std::string, int>::Loaded;
          return absl::StatusOr<Loaded>(Loaded{std::make_shared<const int>(7), 1});
        });
        EXPECT_EQ(loaded.ok(), !context.failed());
        if (!loaded.ok()) throw std::bad_alloc();
      },
      [] {}, /*all=*/true);
  EXPECT_NE(cache.Get(kKey), nullptr);
}

TEST(OutOfMemoryTest, FailuresAreRememberedWithTheirKeysOrNotAtAll) {
  NegativeCache<std::string> failures;
  const NegativeCache<std::string>::Clock::time_point now;
  const absl::Status missing = NotFoundError("missing");
  FailEachAllocation(
      [&] { failures.Remember(kKey, missing, now + std::chrono::seconds(1), {10}); },
      [&] { EXPECT_EQ(failures.size(), failures.Find(kKey, now) == nullptr ? 0u : 1u); },
      /*all=*/true);
  EXPECT_EQ(failures.size(), 1u);
}

}  // namespace
}  // namespace stagedoor

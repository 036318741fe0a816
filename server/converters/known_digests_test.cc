#include "server/converters/known_digests.h"

#include <gtest/gtest.h>

#include <chrono>
#include <string>

#include "base/testing/fail_each_allocation.h"
#include "server/error_info.h"

namespace stagedoor::server {
namespace {

RequestContext::Clock::time_point Later() {
  return RequestContext::Clock::now() + std::chrono::hours(1);
}

TEST(KnownDigestsTest, ContainsWhatTheClientSent) {
  const ArrayDigest a = ArrayDigest::OfContents({1, 2}, 3), b = ArrayDigest::OfContents({4, 5}, 6);
  v1::DigestOptions options;
  options.add_known(std::string(a.bytes()));
  options.add_known("of another kind of daemon");
  options.add_known("");
  RequestContext context(Later());
  const auto known = KnownDigests::Parse(context, options);
  ASSERT_TRUE(known.ok()) << known.status();
  EXPECT_TRUE(known->Contains(a));
  EXPECT_FALSE(known->Contains(b));
}

TEST(KnownDigestsTest, FindsEachOfMany) {
  const auto digest = [](uint64_t i) { return ArrayDigest::OfContents({i * 7919 % 101, i}, i); };
  v1::DigestOptions options;
  for (uint64_t i = 0; i < 300; i += 2) options.add_known(std::string(digest(i).bytes()));
  RequestContext context(Later());
  const auto known = KnownDigests::Parse(context, options);
  ASSERT_TRUE(known.ok()) << known.status();
  for (uint64_t i = 0; i < 300; ++i) EXPECT_EQ(known->Contains(digest(i)), i % 2 == 0) << i;
}

TEST(KnownDigestsTest, SurvivesFailedAllocations) {
  v1::DigestOptions options;
  for (uint64_t i = 0; i < 100; ++i) {
    options.add_known(std::string(ArrayDigest::OfContents({100 - i, i}, i).bytes()));
  }
  const uint64_t allocations = FailEachAllocation([&] {
    RequestContext context;
    EXPECT_TRUE(KnownDigests::Parse(context, options).ok());
  });
  EXPECT_GT(allocations, 0u);
}

TEST(KnownDigestsTest, CountAndMemoryAreLimited) {
  v1::DigestOptions options;
  for (size_t i = 0; i <= KnownDigests::kMost; ++i) options.add_known();
  RequestContext context(Later());
  const absl::Status many = KnownDigests::Parse(context, options).status();
  EXPECT_EQ(many.code(), absl::StatusCode::kResourceExhausted);
  EXPECT_EQ(many.message(), "the request has 1000001 known digests; the limit is 1000000");
  options.mutable_known()->RemoveLast();
  EXPECT_TRUE(KnownDigests::Parse(context, options).ok());
  RequestLimits limits;
  limits.max_bytes = size_t{1} << 20;
  RequestContext small(Later(), limits);
  EXPECT_EQ(KnownDigests::Parse(small, options).status().code(),
            absl::StatusCode::kResourceExhausted);
}

}  // namespace
}  // namespace stagedoor::server

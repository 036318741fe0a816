#include "server/frame_memory/frame_digests.h"

#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <vector>

#include "base/memory_pool.h"
#include "base/request_context.h"

namespace stagedoor::server {
namespace {

using Pointer = std::shared_ptr<const FrameDigests>;
using Digests = std::map<uint64_t, uint64_t>;

constexpr size_t kPlenty = size_t{64} << 20;

class FrameDigestsTest : public ::testing::Test {
 protected:
  Pointer Make(const Pointer& base, const Digests& digests,
               const std::vector<FrameId>& objects = {}) {
    FrameDigestsBuilder builder(context_, base, kPlenty);
    for (const auto& [key, digest] : digests) builder.Set(key, digest);
    for (const FrameId object : objects) builder.AddObject(object);
    auto made = builder.Finish(context_, nullptr);
    EXPECT_TRUE(made.ok()) << made.status();
    EXPECT_NE(*made, nullptr);
    return *made;
  }
  static std::vector<FrameId> ObjectsOf(const Pointer& digests) {
    std::vector<FrameId> objects;
    digests->VisitObjects([&](FrameId object) {
      objects.push_back(object);
      return true;
    });
    return objects;
  }
  static Digests Many(uint64_t count) {
    Digests digests;
    for (uint64_t key = 1; key <= count; ++key) digests[key * 3] = key;
    return digests;
  }

  RequestContext context_;
};

TEST_F(FrameDigestsTest, FindsWhatWasSet) {
  const Pointer digests = Make(nullptr, {{5, 50}, {7, 70}, {2, 20}}, {3, 1});
  EXPECT_EQ(digests->Find(2), 20u);
  EXPECT_EQ(digests->Find(5), 50u);
  EXPECT_EQ(digests->Find(7), 70u);
  EXPECT_EQ(digests->Find(6), 0u);
  EXPECT_EQ(ObjectsOf(digests), (std::vector<FrameId>{1, 3}));
}

TEST_F(FrameDigestsTest, TheLastDigestOfAKeyCounts) {
  FrameDigestsBuilder builder(context_, nullptr, kPlenty);
  builder.Set(5, 50);
  builder.Set(4, 40);
  builder.Set(5, 51);
  builder.AddObject(9);
  builder.AddObject(9);
  const Pointer digests = *builder.Finish(context_, nullptr);
  EXPECT_EQ(digests->Find(5), 51u);
  EXPECT_EQ(digests->Find(4), 40u);
  EXPECT_EQ(ObjectsOf(digests), std::vector<FrameId>{9});
}

TEST_F(FrameDigestsTest, DifferencesPrecedeWhatTheyAreBasedOn) {
  const Pointer first = Make(nullptr, {{1, 10}, {2, 20}, {3, 30}}, {1, 2});
  const Pointer second = Make(first, {{2, 21}, {4, 40}}, {3});
  const Pointer third = Make(second, {{4, 0}, {1, 11}}, {2});
  EXPECT_EQ(first->Find(2), 20u);
  EXPECT_EQ(second->Find(1), 10u);
  EXPECT_EQ(second->Find(2), 21u);
  EXPECT_EQ(second->Find(4), 40u);
  EXPECT_EQ(third->Find(1), 11u);
  EXPECT_EQ(third->Find(2), 21u);
  EXPECT_EQ(third->Find(3), 30u);
  EXPECT_EQ(third->Find(4), 0u) << "no longer held";
  EXPECT_EQ(ObjectsOf(third), (std::vector<FrameId>{1, 2, 3})) << "each once";
}

TEST_F(FrameDigestsTest, FramesShareATable) {
  const Pointer first = Make(nullptr, Many(20000));
  std::vector<Pointer> frames = {first};
  const auto shared_pool = std::make_shared<MemoryPool>("frames");
  for (uint64_t i = 1; i <= 10; ++i) {
    FrameDigestsBuilder builder(context_, frames.back(), kPlenty);
    builder.Set(3 * i, 1000 + i);
    frames.push_back(*builder.Finish(context_, shared_pool));
  }
  EXPECT_LT(shared_pool->used(), first->byte_size()) << "each has its differences only";
  for (uint64_t i = 1; i <= 10; ++i) {
    EXPECT_EQ(frames[i - 1]->Find(3 * i), i);
    EXPECT_EQ(frames[i]->Find(3 * i), 1000 + i);
    EXPECT_EQ(frames.back()->Find(3 * i), 1000 + i);
  }
  EXPECT_EQ(frames.back()->Find(3 * 20000), 20000u);
}

TEST_F(FrameDigestsTest, ManyDifferencesMakeAnotherTable) {
  const Pointer first = Make(nullptr, Many(4000));
  Digests changed;
  for (uint64_t key = 1; key <= 3000; ++key) changed[key * 3] = key % 2 == 0 ? 0 : key + 7;
  const Pointer second = Make(first, changed);
  EXPECT_EQ(second->Find(3 * 1), 8u);
  EXPECT_EQ(second->Find(3 * 2), 0u);
  EXPECT_EQ(second->Find(3 * 3001), 3001u);
  EXPECT_LT(second->byte_size(), first->byte_size() + first->byte_size() / 2);
}

TEST_F(FrameDigestsTest, TooManyAreNone) {
  FrameDigestsBuilder builder(context_, nullptr, /*max_bytes=*/1000);
  for (uint64_t key = 0; key < 1000; ++key) builder.Set(key, 1);
  const auto made = builder.Finish(context_, nullptr);
  ASSERT_TRUE(made.ok()) << made.status();
  EXPECT_EQ(*made, nullptr);
  EXPECT_EQ(context_.reserved_bytes(), 0u);
}

TEST_F(FrameDigestsTest, MemoryIsChargedToTheRequestAndThenToThePool) {
  const auto pool = std::make_shared<MemoryPool>("frames");
  {
    FrameDigestsBuilder builder(context_, nullptr, kPlenty);
    for (uint64_t key = 0; key < 100000; ++key) builder.Set(key, 1);
    EXPECT_GE(context_.reserved_bytes(), 100000u * sizeof(FrameDigests::Entry));
    Pointer made = *builder.Finish(context_, pool);
    EXPECT_GE(pool->used(), 100000u * sizeof(FrameDigests::Entry));
    EXPECT_LE(pool->used(), made->byte_size());
  }
  EXPECT_EQ(context_.reserved_bytes(), 0u);
  EXPECT_EQ(pool->used(), 0u);
}

TEST_F(FrameDigestsTest, ACancelledRequestMakesNone) {
  FrameDigestsBuilder builder(context_, nullptr, kPlenty);
  for (uint64_t key = 10000; key > 0; --key) builder.Set(key, 1);
  context_.Cancel();
  EXPECT_EQ(builder.Finish(context_, nullptr).status().code(), absl::StatusCode::kCancelled);
}

}  // namespace
}  // namespace stagedoor::server

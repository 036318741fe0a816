#include "server/upstream/reply_cache.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace stagedoor::server {
namespace {

class NoReader final : public ReplyReader {
 public:
  void Wake() override {}
  void Retain() override {}
  void Unretain() override {}
};

class ReplyCacheTest : public ::testing::Test {
 protected:
  ReplyCacheTest()
      : cache_(
            {.max_bytes = 100, .clip_age = std::chrono::seconds(2), .now = [this] { return now_; }},
            counters_) {}

  // Joins the reply of a key; whether it is a new one.
  bool Join(const std::string& key) {
    const auto found = cache_.Join(key, &reader_, [this] {
      return std::make_shared<SharedReply>(
          SharedReply::Options{.keep = true, .max_bytes = 50, .pool = &cache_.pool()});
    });
    last_ = found.reply;
    return found.is_new;
  }
  // Completes the reply that was joined last.
  void Complete(const std::string& key, size_t bytes, bool lasting = true,
                const grpc::Status& status = grpc::Status::OK) {
    const std::string text(bytes, 'x');
    const grpc::Slice slice(text);
    last_->OnMessage(grpc::ByteBuffer(&slice, 1));
    last_->OnEnd({.status = status});
    cache_.Ended(key, last_, lasting);
    last_->Leave(&reader_);
    last_ = nullptr;
  }
  void Fetch(const std::string& key, size_t bytes = 10, bool lasting = true) {
    EXPECT_TRUE(Join(key));
    Complete(key, bytes, lasting);
  }
  // Whether a reply is kept. Does not change that.
  bool Has(const std::string& key) {
    const bool is_new = Join(key);
    if (is_new) Complete(key, 0, true, grpc::Status::CANCELLED);
    return !is_new;
  }

  ReplyCache::Clock::time_point now_;
  UpstreamCounters counters_;
  ReplyCache cache_;
  NoReader reader_;
  std::shared_ptr<SharedReply> last_;
};

TEST_F(ReplyCacheTest, CallsJoinAReplyThatIsArriving) {
  EXPECT_TRUE(Join("a"));
  const auto first = last_;
  first->Leave(&reader_);
  EXPECT_TRUE(Join("b"));
  NoReader other;
  const auto second = last_;
  const auto found = cache_.Join("b", &other, [] { return nullptr; });
  EXPECT_FALSE(found.is_new);
  EXPECT_EQ(found.reply, second);
  EXPECT_EQ(counters_.shared, 1u);
  EXPECT_TRUE(Join("a")) << "nobody has read it any more";
}

TEST_F(ReplyCacheTest, KeepsSuccessfulReplies) {
  Fetch("a");
  EXPECT_TRUE(Has("a"));
  EXPECT_EQ(counters_.hits, 1u);
  EXPECT_TRUE(Join("b"));
  Complete("b", 10, true, grpc::Status(grpc::StatusCode::NOT_FOUND, "no prim"));
  EXPECT_FALSE(Has("b"));
}

TEST_F(ReplyCacheTest, EvictsTheLeastRecentlyUsed) {
  Fetch("a", 40);
  Fetch("b", 40);
  EXPECT_TRUE(Has("a"));
  Fetch("c", 40);
  EXPECT_FALSE(Has("b"));
  EXPECT_TRUE(Has("a"));
  EXPECT_TRUE(Has("c"));
  EXPECT_EQ(counters_.evictions, 1u);
  EXPECT_LE(cache_.bytes(), 100u);
}

TEST_F(ReplyCacheTest, RepliesFromClipsAreUsedForAWhile) {
  Fetch("a", 10, false);
  Fetch("b", 10, true);
  now_ += std::chrono::milliseconds(1900);
  EXPECT_TRUE(Has("a"));
  now_ += std::chrono::milliseconds(200);
  EXPECT_FALSE(Has("a"));
  EXPECT_TRUE(Has("b"));
}

TEST_F(ReplyCacheTest, RepliesFromClipsAreDroppedOnRequest) {
  Fetch("a", 10, false);
  Fetch("b", 10, true);
  EXPECT_TRUE(Join("c"));
  cache_.DropAging();
  Complete("c", 10, false);
  EXPECT_FALSE(Has("a"));
  EXPECT_TRUE(Has("b"));
  EXPECT_FALSE(Has("c")) << "it may have been read before the change";
}

TEST_F(ReplyCacheTest, PassesOnWhatStaysRightForEver) {
  std::vector<std::string> kept;
  cache_.SetKeep([&kept](const std::string& key, const std::shared_ptr<SharedReply>&) {
    kept.push_back(key);
  });
  Fetch("a", 10, false);
  Fetch("b", 10, true);
  EXPECT_EQ(kept, std::vector<std::string>{"b"});
}

TEST_F(ReplyCacheTest, DropsEverythingOnRequest) {
  Fetch("a", 10);
  Fetch("b", 20);
  const auto dropped = cache_.DropAll();
  EXPECT_EQ(dropped.entries, 2u);
  EXPECT_EQ(dropped.bytes, 30u);
  EXPECT_EQ(cache_.bytes(), 0u);
}

}  // namespace
}  // namespace stagedoor::server

#include "server/upstream/shared_reply.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "stagedoor/v1/query.pb.h"

namespace stagedoor::server {
namespace {

grpc::ByteBuffer Bytes(const std::string& text) {
  const grpc::Slice slice(text);
  return {&slice, 1};
}

std::string TextOf(const grpc::ByteBuffer& message) {
  std::vector<grpc::Slice> slices;
  EXPECT_TRUE(message.Dump(&slices).ok());
  std::string text;
  for (const grpc::Slice& slice : slices) {
    text.append(reinterpret_cast<const char*>(slice.begin()), slice.size());
  }
  return text;
}

class FakeReader final : public ReplyReader {
 public:
  void Wake() override { ++wakes; }
  void Retain() override { ++holds; }
  void Unretain() override { --holds; }

  // The result of Next as a text: the message, with "." if it is the last one, "end CODE" or
  // "wait".
  std::string Next(SharedReply& reply) {
    grpc::ByteBuffer message;
    grpc::Status status;
    switch (reply.Next(this, &message, &status)) {
      case SharedReply::Result::kMessage:
        return TextOf(message);
      case SharedReply::Result::kLastMessage:
        return TextOf(message) + ".";
      case SharedReply::Result::kEnd:
        return "end " + std::to_string(status.error_code());
      case SharedReply::Result::kWait:
        return "wait";
    }
    return {};
  }

  int wakes = 0;
  int holds = 0;
};

std::shared_ptr<SharedReply> Kept(size_t max_bytes = 1000) {
  return std::make_shared<SharedReply>(SharedReply::Options{.keep = true, .max_bytes = max_bytes});
}

// An origin that says what it was asked.
class FakeOrigin final : public ReplyOrigin {
 public:
  FakeOrigin(bool recovers, std::string* out) : recovers_(recovers), out_(out) {}
  ~FakeOrigin() override { *out_ += " gone"; }
  void Start(const std::shared_ptr<SharedReply>&) override { *out_ += " start"; }
  bool Recover(const std::shared_ptr<SharedReply>&, const UpstreamEnd&) override {
    *out_ += " recover";
    return recovers_;
  }
  void Ended(const std::shared_ptr<SharedReply>& reply, const UpstreamEnd& end) override {
    *out_ += reply->is_whole() ? " whole" : " ended " + std::to_string(end.status.error_code());
  }

 private:
  const bool recovers_;
  std::string* const out_;
};

UpstreamEnd Ok() { return {.status = grpc::Status::OK}; }

TEST(SharedReplyTest, ReadersFollowAtTheirOwnPace) {
  const auto reply = Kept();
  FakeReader a;
  FakeReader b;
  ASSERT_TRUE(reply->Join(&a));
  EXPECT_EQ(a.Next(*reply), "wait");
  reply->OnMessage(Bytes("1"));
  EXPECT_EQ(a.wakes, 1);
  EXPECT_EQ(a.holds, 0);
  EXPECT_EQ(a.Next(*reply), "1");
  reply->OnMessage(Bytes("2"));
  ASSERT_TRUE(reply->Join(&b));
  EXPECT_EQ(b.Next(*reply), "1");
  EXPECT_EQ(a.Next(*reply), "2");
  EXPECT_EQ(a.Next(*reply), "wait");
  reply->OnEnd(Ok());
  EXPECT_EQ(a.Next(*reply), "end 0");
  EXPECT_EQ(b.Next(*reply), "2.");
  EXPECT_TRUE(reply->is_whole());
  EXPECT_EQ(reply->bytes(), 2u);
}

TEST(SharedReplyTest, WhatIsNotKeptIsDroppedOnceItIsTaken) {
  const auto reply = std::make_shared<SharedReply>(SharedReply::Options());
  FakeReader a;
  FakeReader b;
  ASSERT_TRUE(reply->Join(&a));
  EXPECT_FALSE(reply->Join(&b));
  reply->OnMessage(Bytes("1"));
  EXPECT_EQ(a.Next(*reply), "1");
  EXPECT_EQ(reply->bytes(), 0u);
  reply->OnEnd(Ok());
  EXPECT_FALSE(reply->is_whole());
}

TEST(SharedReplyTest, ALargeReplyIsNoLongerKept) {
  const auto reply = Kept(3);
  FakeReader a;
  FakeReader b;
  FakeReader c;
  ASSERT_TRUE(reply->Join(&a));
  ASSERT_TRUE(reply->Join(&b));
  reply->OnMessage(Bytes("11"));
  EXPECT_EQ(a.Next(*reply), "11");
  reply->OnMessage(Bytes("22"));
  EXPECT_EQ(reply->bytes(), 4u) << "the second reader has not taken them";
  EXPECT_EQ(b.Next(*reply), "11");
  EXPECT_EQ(reply->bytes(), 2u);
  EXPECT_FALSE(reply->Join(&c));
  EXPECT_EQ(b.Next(*reply), "22");
  reply->Leave(&a);
  EXPECT_EQ(reply->bytes(), 0u) << "nobody waits for them";
}

TEST(SharedReplyTest, ASingleMessageIsPassedOnWithItsEnd) {
  const auto reply = std::make_shared<SharedReply>(
      SharedReply::Options{.keep = true, .max_bytes = 1000, .single = true});
  FakeReader a;
  ASSERT_TRUE(reply->Join(&a));
  EXPECT_EQ(a.Next(*reply), "wait");
  reply->OnMessage(Bytes("1"));
  EXPECT_EQ(a.wakes, 0);
  reply->OnEnd(Ok());
  EXPECT_EQ(a.wakes, 1);
  EXPECT_EQ(a.Next(*reply), "1.");
}

TEST(SharedReplyTest, AReplyWithoutReadersIsGivenUp) {
  const auto reply = Kept();
  FakeReader a;
  FakeReader b;
  ASSERT_TRUE(reply->Join(&a));
  EXPECT_EQ(a.Next(*reply), "wait");
  reply->Leave(&a);
  EXPECT_EQ(a.holds, 0);
  EXPECT_FALSE(reply->Join(&b));
}

TEST(SharedReplyTest, RecoversOnlyBeforeTheFirstMessage) {
  std::string asked;
  const auto recovered =
      std::make_shared<SharedReply>(SharedReply::Options{.keep = true, .max_bytes = 1000},
                                    std::make_unique<FakeOrigin>(true, &asked));
  FakeReader a;
  ASSERT_TRUE(recovered->Join(&a));
  EXPECT_EQ(a.Next(*recovered), "wait");
  recovered->OnEnd({.status = grpc::Status(grpc::StatusCode::NOT_FOUND, "lost")});
  EXPECT_EQ(a.wakes, 0);
  recovered->OnMessage(Bytes("1"));
  recovered->OnEnd({.status = grpc::Status(grpc::StatusCode::DATA_LOSS, "broken")});
  EXPECT_EQ(asked, " recover ended 15 gone");
  EXPECT_EQ(a.Next(*recovered), "1");
  EXPECT_EQ(a.Next(*recovered), "end 15");
}

TEST(SharedReplyTest, AReplyThatIsKeptDoesWithoutItsOrigin) {
  std::string asked;
  const auto reply =
      std::make_shared<SharedReply>(SharedReply::Options{.keep = true, .max_bytes = 1000},
                                    std::make_unique<FakeOrigin>(false, &asked));
  reply->Start();
  reply->OnMessage(Bytes("1"));
  EXPECT_EQ(asked, " start");
  reply->OnEnd(Ok());
  EXPECT_EQ(asked, " start whole gone");
}

TEST(SharedReplyTest, AReplyCanBeInterrupted) {
  const auto reply = std::make_shared<SharedReply>(SharedReply::Options());
  FakeReader a;
  ASSERT_TRUE(reply->Join(&a));
  EXPECT_EQ(a.Next(*reply), "wait");
  reply->Interrupt(grpc::Status(grpc::StatusCode::UNAVAILABLE, "continue"));
  EXPECT_EQ(a.wakes, 1);
  reply->OnMessage(Bytes("late"));
  reply->OnEnd({.status = grpc::Status::CANCELLED});
  EXPECT_EQ(a.Next(*reply), "end 14");
}

TEST(SharedReplyTest, CountsWhatItKeeps) {
  MemoryPool pool("replies", 1000);
  auto reply = std::make_shared<SharedReply>(
      SharedReply::Options{.keep = true, .max_bytes = 4, .pool = &pool});
  reply->OnMessage(Bytes("123"));
  EXPECT_EQ(pool.used(), 3u);
  reply->OnMessage(Bytes("45"));
  EXPECT_EQ(pool.used(), 0u);
  reply = nullptr;
  EXPECT_EQ(pool.used(), 0u);
}

TEST(SharedReplyTest, AReplyThatCannotBeFilledEndsWithAnError) {
  MemoryPool pool("replies", 1000);
  ArrayStore store(pool, 1000);
  UpstreamCounters counters;
  std::string asked;
  const auto reply =
      std::make_shared<SharedReply>(SharedReply::Options{.keep = true, .max_bytes = 1000},
                                    std::make_unique<FakeOrigin>(false, &asked));
  reply->SetFiller(std::make_unique<ArrayFiller>(
      ArrayFiller::Request{.response = &v1::StreamValuesResponse::default_instance()}, store,
      counters));
  FakeReader reader;
  ASSERT_TRUE(reply->Join(&reader));
  EXPECT_EQ(reader.Next(*reply), "wait");
  reply->OnMessage(Bytes("not a message"));
  EXPECT_EQ(reader.wakes, 1);
  EXPECT_EQ(reader.Next(*reply), "end 15");
  EXPECT_EQ(asked, " recover ended 15 gone");
  reply->OnEnd(Ok());
  EXPECT_EQ(asked, " recover ended 15 gone");
  EXPECT_FALSE(reply->is_whole());
}

}  // namespace
}  // namespace stagedoor::server

#include "server/query_socket/reply_answer.h"

#include <gtest/gtest.h>

#include <string>

namespace stagedoor::server {
namespace {

class FakePlacer final : public ArrayPlacer {
 public:
  char* Place(size_t bytes, v1::SharedSegment* out) override {
    if (bytes > place.size()) return nullptr;
    out->set_size(bytes);
    return place.data();
  }
  void TakeBack() override {}

  std::string place = std::string(kMinBytes, '\0');
};

grpc::ByteBuffer BytesOf(const std::string& text) {
  const grpc::Slice slice(text);
  return {&slice, 1};
}

// The bytes of a reply with arrays of these sizes.
grpc::ByteBuffer ReplyWith(std::initializer_list<size_t> sizes) {
  v1::BatchGetValuesResponse reply;
  for (const size_t size : sizes) {
    reply.add_columns()->add_values()->mutable_array_value()->set_data(std::string(size, 'x'));
  }
  return BytesOf(reply.SerializeAsString());
}

TEST(ReplyAnswerTest, LargeArraysGetPlaces) {
  RequestContext context;
  FakePlacer placer;
  constexpr size_t kMost = ArrayPlacer::kMinBytes;
  grpc::ByteBuffer bytes = ReplyWith({kMost, kMost - 1, kMost + 1});
  v1::BatchGetValuesResponse out;
  ASSERT_TRUE(ReadReply(context, &bytes, &placer, &out).ok());
  EXPECT_EQ(out.columns(0).values(0).array_value().segment().size(), kMost);
  EXPECT_EQ(placer.place, std::string(kMost, 'x'));
  EXPECT_EQ(out.columns(1).values(0).array_value().data().size(), kMost - 1);
  EXPECT_EQ(out.columns(2).values(0).array_value().data().size(), kMost + 1) << "no place is free";
}

TEST(ReplyAnswerTest, ArraysStayInAnAnswerWithoutPlaces) {
  RequestContext context;
  grpc::ByteBuffer bytes = ReplyWith({ArrayPlacer::kMinBytes});
  v1::BatchGetValuesResponse out;
  ASSERT_TRUE(ReadReply(context, &bytes, nullptr, &out).ok());
  EXPECT_EQ(out.columns(0).values(0).array_value().data().size(), ArrayPlacer::kMinBytes);
}

TEST(ReplyAnswerTest, BytesOfAnotherKindAreAnError) {
  RequestContext context;
  grpc::ByteBuffer bytes = BytesOf("not a message");
  v1::BatchGetValuesResponse out;
  EXPECT_EQ(ReadReply(context, &bytes, nullptr, &out).code(), absl::StatusCode::kInternal);
}

TEST(ReplyAnswerTest, TheReplyCountsAsMemoryOfTheCall) {
  RequestContext context(RequestContext::Clock::time_point::max(), {.max_bytes = 1000});
  grpc::ByteBuffer bytes = ReplyWith({2000});
  v1::BatchGetValuesResponse out;
  EXPECT_EQ(ReadReply(context, &bytes, nullptr, &out).code(), absl::StatusCode::kResourceExhausted);
}

}  // namespace
}  // namespace stagedoor::server

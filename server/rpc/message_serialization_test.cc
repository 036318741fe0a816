#include "server/rpc/message_serialization.h"

#include <grpcpp/support/slice.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/memory_pool.h"
#include "base/request_context.h"
#include "base/status.h"
#include "google/rpc/error_details.pb.h"
#include "server/error_info.h"
#include "server/testing/byte_buffers.h"

namespace stagedoor::server {
namespace {

using google::rpc::ErrorInfo;

ErrorInfo Info(std::string reason) {
  ErrorInfo info;
  info.set_reason(std::move(reason));
  return info;
}

TEST(MessageSerializationTest, MessagesRoundTrip) {
  auto bytes = SerializeMessage(Info("why"));
  ASSERT_TRUE(bytes.ok());
  ErrorInfo read;
  EXPECT_TRUE(ParseMessage(&*bytes, &read).ok());
  EXPECT_EQ(read.reason(), "why");
}

TEST(MessageSerializationTest, InvalidBytesAreAnErrorThatNamesTheMessage) {
  grpc::ByteBuffer bytes = BufferOf("\xff\xff\xff");
  ErrorInfo read;
  const absl::Status status = ParseMessage(&bytes, &read);
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(GetReason(status), v1::ERROR_REASON_UNDECODABLE);
  EXPECT_NE(Message(status).find("google.rpc.ErrorInfo"), std::string_view::npos);
}

TEST(MessageSerializationTest, OnlyTheReplyStaysReserved) {
  MemoryPool all("test", 10000);
  RequestContext context(RequestContext::Clock::time_point::max(), {~uint64_t{0}, 10000, &all});
  ASSERT_TRUE(context.Reserve(5000, "scratch").ok());
  grpc::ByteBuffer bytes;
  const ErrorInfo reply = Info(std::string(1000, 'x'));
  ASSERT_TRUE(SerializeReply(context, reply, &bytes).ok());
  EXPECT_EQ(BytesOf(bytes), reply.SerializeAsString());
  EXPECT_EQ(all.used(), reply.ByteSizeLong());
}

// A message that only reports its size.
class Huge final : public google::protobuf::MessageLite {
 public:
  explicit Huge(size_t bytes) : bytes_(bytes) {}

  std::string GetTypeName() const override { return "Huge"; }
  MessageLite* New(google::protobuf::Arena*) const override { return new Huge(bytes_); }
  void Clear() override {}
  bool IsInitialized() const override { return true; }
  void CheckTypeAndMergeFrom(const MessageLite&) override {}
  size_t ByteSizeLong() const override { return bytes_; }
  int GetCachedSize() const override { return 0; }
  uint8_t* _InternalSerialize(uint8_t* to,
                              google::protobuf::io::EpsCopyOutputStream*) const override {
    return to;
  }

 private:
  const size_t bytes_;
};

TEST(MessageSerializationTest, AMessageOfTwoGibibytesIsRejected) {
  const Huge huge(size_t{1} << 31);
  RequestContext context;
  grpc::ByteBuffer out;
  const absl::Status reply = SerializeReply(context, huge, &out);
  EXPECT_EQ(context.reserved_bytes(), 0u);
  for (const absl::Status& status : {SerializeMessage(huge).status(), reply}) {
    EXPECT_EQ(status.code(), absl::StatusCode::kResourceExhausted);
    EXPECT_EQ(GetReason(status), v1::ERROR_REASON_REQUEST_TOO_LARGE);
    EXPECT_NE(Message(status).find("2147483648"), std::string_view::npos) << status;
  }
}

TEST(MessageSerializationTest, LargeBytesOfAReplyAreSentFromWhereTheyAre) {
  RequestContext context;
  auto reply = std::make_shared<ErrorInfo>(Info(std::string(100, 'x')));
  reply->set_domain(std::string(2 << 20, 'y'));
  (*reply->mutable_metadata())["small"] = std::string(1000, 'z');
  const std::string expected = reply->SerializeAsString();
  const std::weak_ptr<ErrorInfo> alive = reply;
  grpc::ByteBuffer bytes;
  ASSERT_TRUE(SerializeReply(context, reply, &bytes).ok());
  std::vector<grpc::Slice> slices;
  ASSERT_TRUE(bytes.Dump(&slices).ok());
  const bool any = std::ranges::any_of(slices, [&](const grpc::Slice& slice) {
    return static_cast<const void*>(slice.begin()) == reply->domain().data();
  });
  EXPECT_TRUE(any);
  reply.reset();
  EXPECT_FALSE(alive.expired());
  EXPECT_EQ(BytesOf(bytes), expected);
  slices.clear();
  bytes.Clear();
  EXPECT_TRUE(alive.expired());
}

TEST(MessageSerializationTest, AReplyWithMuchElseIsNotKept) {
  RequestContext context;
  auto reply = std::make_shared<ErrorInfo>(Info(std::string(2 << 20, 'x')));
  for (int i = 0; i < 1000; ++i) {
    (*reply->mutable_metadata())[std::to_string(i)] = std::string(1000, 'z');
  }
  const std::weak_ptr<ErrorInfo> alive = reply;
  const size_t size = reply->ByteSizeLong();
  grpc::ByteBuffer bytes;
  ASSERT_TRUE(SerializeReply(context, std::exchange(reply, nullptr), &bytes).ok());
  EXPECT_TRUE(alive.expired());
  EXPECT_EQ(bytes.Length(), size);
  ErrorInfo read;
  EXPECT_TRUE(ParseMessage(&bytes, &read).ok());
  EXPECT_EQ(read.reason().size(), size_t{2} << 20);
  EXPECT_EQ(read.metadata().size(), 1000u);
}

TEST(MessageSerializationTest, MediumBytesOfALargeReplyAreCopied) {
  RequestContext context;
  const auto reply = std::make_shared<ErrorInfo>(Info("why"));
  for (int i = 0; i < 200; ++i) {
    (*reply->mutable_metadata())[std::to_string(i)] = std::string(10'000, 'z');
  }
  grpc::ByteBuffer bytes;
  ASSERT_TRUE(SerializeReply(context, reply, &bytes).ok());
  std::vector<grpc::Slice> slices;
  ASSERT_TRUE(bytes.Dump(&slices).ok());
  EXPECT_LE(slices.size(), 3u);
  ErrorInfo read;
  EXPECT_TRUE(ParseMessage(&bytes, &read).ok());
  EXPECT_EQ(read.metadata().size(), 200u);
}

TEST(MessageSerializationTest, AReplyIsReservedBeforeItIsSerialized) {
  MemoryPool all("test", 1000);
  RequestContext context(RequestContext::Clock::time_point::max(), {~uint64_t{0}, 1000, &all});
  ASSERT_TRUE(context.Reserve(10, "scratch").ok());
  grpc::ByteBuffer bytes;
  ASSERT_TRUE(SerializeReply(context, Info(std::string(500, 'x')), &bytes).ok());
  EXPECT_EQ(all.used(), Info(std::string(500, 'x')).ByteSizeLong());
  EXPECT_EQ(SerializeReply(context, Info(std::string(1000, 'x')), &bytes).code(),
            absl::StatusCode::kResourceExhausted);
}

}  // namespace
}  // namespace stagedoor::server

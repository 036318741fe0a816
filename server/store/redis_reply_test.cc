#include "server/store/redis_reply.h"

#include <string>
#include <string_view>
#include <utility>

#include "base/status.h"
#include "gtest/gtest.h"

namespace stagedoor::server {
namespace {

using Type = RedisReply::Type;

constexpr size_t kMaxReplyBytes = 100000;

// The reply that `bytes` are, whatever the parts in which they arrive.
RedisReply Read(std::string_view bytes) {
  RedisReplyReader at_once(kMaxReplyBytes);
  at_once.Feed(bytes);
  auto reply = at_once.Next();
  EXPECT_TRUE(reply.ok() && reply->has_value()) << bytes << reply.status();
  EXPECT_TRUE(at_once.empty());
  RedisReplyReader in_bytes(kMaxReplyBytes);
  for (size_t i = 0; i < bytes.size(); ++i) {
    in_bytes.Feed(bytes.substr(i, 1));
    const auto next = in_bytes.Next();
    EXPECT_TRUE(next.ok()) << next.status();
    EXPECT_EQ(next.ok() && next->has_value(), i + 1 == bytes.size()) << bytes << " at " << i;
    EXPECT_EQ(in_bytes.empty(), i + 1 == bytes.size());
  }
  return reply.ok() && reply->has_value() ? **std::move(reply) : RedisReply();
}

std::string ErrorOf(std::string_view bytes) {
  RedisReplyReader reader(kMaxReplyBytes);
  reader.Feed(bytes);
  for (;;) {
    const auto reply = reader.Next();
    if (!reply.ok()) {
      EXPECT_EQ(reply.status().code(), absl::StatusCode::kDataLoss);
      return std::string(Message(reply.status()));
    }
    if (!reply->has_value()) return "(incomplete)";
  }
}

TEST(RedisReplyTest, ReadsEachType) {
  EXPECT_EQ(Read("+OK\r\n").type, Type::kStatus);
  EXPECT_EQ(Read("+OK\r\n").text, "OK");
  EXPECT_EQ(Read("-ERR no\r\n").type, Type::kError);
  EXPECT_EQ(Read("-ERR no\r\n").text, "ERR no");
  EXPECT_EQ(Read(":-42\r\n").type, Type::kInteger);
  EXPECT_EQ(Read(":-42\r\n").integer, -42);
  EXPECT_EQ(Read("$-1\r\n").type, Type::kNil);
  EXPECT_EQ(Read("*-1\r\n").type, Type::kNil);
  EXPECT_EQ(Read("*0\r\n").type, Type::kArray);
  const std::string_view binary("$6\r\na\r\n\0b\xff\r\n", 12);
  EXPECT_EQ(Read(binary).type, Type::kString);
  EXPECT_EQ(Read(binary).text, std::string_view("a\r\n\0b\xff", 6));
}

TEST(RedisReplyTest, ReadsNestedArrays) {
  const RedisReply reply = Read("*3\r\n$1\r\na\r\n*2\r\n:1\r\n+b\r\n$-1\r\n");
  ASSERT_EQ(reply.elements.size(), 3u);
  EXPECT_EQ(reply.elements[0].text, "a");
  ASSERT_EQ(reply.elements[1].elements.size(), 2u);
  EXPECT_EQ(reply.elements[1].elements[0].integer, 1);
  EXPECT_EQ(reply.elements[1].elements[1].text, "b");
  EXPECT_EQ(reply.elements[2].type, Type::kNil);
}

TEST(RedisReplyTest, ReadsRepliesThatArriveTogether) {
  RedisReplyReader reader(kMaxReplyBytes);
  reader.Feed("*1\r\n:1\r\n+b\r\n$1");
  EXPECT_EQ((**reader.Next()).elements.size(), 1u);
  const RedisReply second = **reader.Next();
  EXPECT_EQ(second.text, "b");
  EXPECT_TRUE(second.elements.empty());
  EXPECT_FALSE(reader.Next()->has_value());
  EXPECT_FALSE(reader.empty());
  reader.Feed("\r\nc\r\n");
  EXPECT_EQ((**reader.Next()).text, "c");
  EXPECT_TRUE(reader.empty());
}

TEST(RedisReplyTest, OtherProtocolsAreErrors) {
  const std::string protocol = "the server does not speak the protocol of Redis: ";
  EXPECT_EQ(ErrorOf("HTTP/1.1 400\r\n").substr(0, protocol.size()), protocol);
  EXPECT_EQ(ErrorOf("$x\r\n").substr(0, protocol.size()), protocol);
  EXPECT_EQ(ErrorOf("$-7\r\n").substr(0, protocol.size()), protocol);
  EXPECT_EQ(ErrorOf("*-7\r\n").substr(0, protocol.size()), protocol);
  EXPECT_EQ(ErrorOf(":99999999999999999999\r\n").substr(0, protocol.size()), protocol);
  std::string deep;
  for (int i = 0; i < 20; ++i) deep += "*1\r\n";
  EXPECT_EQ(ErrorOf(deep).substr(0, protocol.size()), protocol);
}

TEST(RedisReplyTest, LargeRepliesAreErrors) {
  EXPECT_EQ(ErrorOf("$100000\r\n"), "(incomplete)");
  EXPECT_EQ(ErrorOf("$100001\r\n"), "a reply has more than 100000 bytes");
  EXPECT_EQ(ErrorOf("$999999999999999\r\n"), "a reply has more than 100000 bytes");
  EXPECT_EQ(ErrorOf("*1024\r\n"), "(incomplete)");
  EXPECT_EQ(ErrorOf("*1025\r\n"), "a reply has more than 1024 elements");
  EXPECT_EQ(ErrorOf("*2147483647\r\n"), "a reply has more than 1024 elements");
  EXPECT_EQ(ErrorOf("*2\r\n*600\r\n"), "(incomplete)");
  std::string nested = "*2\r\n*600\r\n";
  for (int i = 0; i < 600; ++i) nested += ":1\r\n";
  EXPECT_EQ(ErrorOf(nested + "*422\r\n"), "(incomplete)");
  EXPECT_EQ(ErrorOf(nested + "*423\r\n"), "a reply has more than 1024 elements");
  EXPECT_EQ(ErrorOf("+" + std::string(65535, 'a')), "(incomplete)");
  EXPECT_EQ(ErrorOf("+" + std::string(65536, 'a')), "a line of a reply has more than 65536 bytes");
  const std::string half = "$60000\r\n" + std::string(60000, 'a') + "\r\n";
  EXPECT_EQ(ErrorOf("*2\r\n" + half + half), "a reply has more than 100000 bytes");
  EXPECT_EQ(ErrorOf(half + half), "(incomplete)");  // two replies, each within the limit
}

TEST(RedisReplyTest, AnErrorRemains) {
  RedisReplyReader reader(kMaxReplyBytes);
  reader.Feed("?\r\n");
  EXPECT_FALSE(reader.Next().ok());
  reader.Feed("+OK\r\n");
  EXPECT_FALSE(reader.Next().ok());
}

TEST(RedisReplyTest, AnErrorCodeIsTheFirstWord) {
  EXPECT_TRUE(Read("-OOM command not allowed\r\n").HasErrorCode("OOM"));
  EXPECT_TRUE(Read("-OOM\r\n").HasErrorCode("OOM"));
  EXPECT_FALSE(Read("-OOMS x\r\n").HasErrorCode("OOM"));
  EXPECT_FALSE(Read("+OOM x\r\n").HasErrorCode("OOM"));
}

}  // namespace
}  // namespace stagedoor::server

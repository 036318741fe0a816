#include "server/frame_memory/frame_token.h"

#include <gtest/gtest.h>

#include <limits>
#include <string>

#include "base/fingerprinter.h"
#include "server/error_info.h"

namespace stagedoor::server {
namespace {

FrameToken TokenAt(TimeCode time) {
  return {.key = {1, 2}, .snapshot = FrameToken::SnapshotWords("f"), .time = time};
}

TEST(FrameTokenTest, IsParsedFromItsBytes) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  for (const TimeCode time : {TimeCode::Default(), TimeCode::At(12.5), TimeCode::At(-kInfinity),
                              TimeCode::PreTime(3), TimeCode::Earliest()}) {
    const FrameToken token = TokenAt(time);
    EXPECT_LE(token.ToBytes().size(), 100u);
    const auto parsed = FrameToken::Parse(token.ToBytes());
    ASSERT_TRUE(parsed.ok()) << parsed.status();
    ASSERT_TRUE(parsed->has_value());
    EXPECT_EQ(**parsed, token) << time.ToString();
  }
}

// Clients may keep tokens for any time, and replicas may be of other releases.
TEST(FrameTokenTest, IsTheSameInEveryRelease) {
  const FrameToken token{
      .key = {1, 2}, .snapshot = {3, 4}, .clips = {5, 6}, .time = TimeCode::At(1)};
  std::string bytes(
      "\x02"
      "\x01\0\0\0\0\0\0\0"
      "\x02\0\0\0\0\0\0\0"
      "\x03\0\0\0\0\0\0\0"
      "\x04\0\0\0\0\0\0\0"
      "\x05\0\0\0\0\0\0\0"
      "\x06\0\0\0\0\0\0\0"
      "\x01"
      "\0\0\0\0\0\0\xf0\x3f",
      58);
  EXPECT_EQ(token.ToBytes().substr(0, 58), bytes);
  EXPECT_EQ(token.ToBytes().size(), 62u);
}

TEST(FrameTokenTest, DiffersForOtherFrames) {
  const std::string bytes = TokenAt(TimeCode::At(1)).ToBytes();
  EXPECT_NE(TokenAt(TimeCode::At(2)).ToBytes(), bytes);
  EXPECT_NE(TokenAt(TimeCode::PreTime(1)).ToBytes(), bytes);
  FrameToken other = TokenAt(TimeCode::At(1));
  other.snapshot = FrameToken::SnapshotWords("g");
  EXPECT_NE(other.ToBytes(), bytes);
  other = TokenAt(TimeCode::At(1));
  other.clips = {1, 0};
  EXPECT_NE(other.ToBytes(), bytes);
}

TEST(FrameTokenTest, EveryChangedByteIsNoticed) {
  const std::string bytes = TokenAt(TimeCode::At(1)).ToBytes();
  for (size_t i = 0; i < bytes.size(); ++i) {
    std::string changed = bytes;
    changed[i] = static_cast<char>(changed[i] ^ 1);
    EXPECT_EQ(GetReason(FrameToken::Parse(changed).status()), v1::ERROR_REASON_INVALID_FIELD) << i;
  }
  for (const std::string& malformed :
       {std::string(), std::string("x"), bytes.substr(0, bytes.size() - 1), bytes + "x",
        std::string(1000, 'x')}) {
    EXPECT_EQ(GetReason(FrameToken::Parse(malformed).status()), v1::ERROR_REASON_INVALID_FIELD);
  }
}

// The bytes of a token whose first byte is another one.
std::string WithFirstByte(std::string bytes, char first) {
  bytes.resize(bytes.size() - 4);
  bytes[0] = first;
  Fingerprinter checksum;
  checksum.Add(bytes);
  return bytes + checksum.FinishBytes().substr(0, 4);
}

TEST(FrameTokenTest, TokensOfOtherVersionsAreNotErrors) {
  const std::string bytes = TokenAt(TimeCode::At(1)).ToBytes();
  EXPECT_EQ(WithFirstByte(bytes, 2), bytes);
  const auto parsed = FrameToken::Parse(WithFirstByte(bytes, 3));
  ASSERT_TRUE(parsed.ok()) << parsed.status();
  EXPECT_FALSE(parsed->has_value());
}

TEST(FrameTokenTest, NoTimeIsNotANumber) {
  const auto parsed =
      FrameToken::Parse(TokenAt(TimeCode::At(std::numeric_limits<double>::quiet_NaN())).ToBytes());
  EXPECT_EQ(GetReason(parsed.status()), v1::ERROR_REASON_INVALID_FIELD);
}

}  // namespace
}  // namespace stagedoor::server

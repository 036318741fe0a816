#include "server/query_socket/query_frame_writer.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "base/frame_reader.h"

namespace stagedoor::server {
namespace {

v1::ServerFrame AnswerOf(uint64_t id, size_t bytes = 0) {
  v1::ServerFrame frame;
  frame.mutable_answer()->set_request_id(id);
  frame.mutable_answer()->mutable_values()->set_snapshot(std::string(bytes, 's'));
  return frame;
}

// The IDs of the answers in `bytes`, and the number of messages.
std::vector<uint64_t> IdsIn(std::string_view bytes) {
  FrameReader reader(size_t{1} << 30);
  reader.Feed(bytes);
  std::vector<uint64_t> ids;
  for (;;) {
    const auto frame = reader.Next();
    EXPECT_TRUE(frame.ok()) << frame.status();
    if (!frame.ok() || !frame->has_value()) return ids;
    v1::ServerFrame parsed;
    EXPECT_TRUE(parsed.ParseFromArray((*frame)->data(), static_cast<int>((*frame)->size())));
    ids.push_back(parsed.answer().request_id());
  }
}

uint32_t LengthOfFirstMessage(std::string_view bytes) {
  uint32_t length = 0;
  bytes.copy(reinterpret_cast<char*>(&length), sizeof(length));
  return length;
}

TEST(QueryFrameWriterTest, FramesThatWaitTogetherAreInOneMessage) {
  QueryFrameWriter writer;
  writer.Add(AnswerOf(1));
  writer.Add(AnswerOf(2));
  EXPECT_EQ(LengthOfFirstMessage(writer.pending()), writer.pending().size() - 4);
  EXPECT_EQ(IdsIn(writer.pending()), (std::vector<uint64_t>{1, 2}));
}

TEST(QueryFrameWriterTest, AMessageThatWasSentInPartGetsNoFurtherFrames) {
  QueryFrameWriter writer;
  writer.Add(AnswerOf(1));
  std::string sent(writer.pending().substr(0, 3));
  writer.Sent(3);
  writer.Add(AnswerOf(2));
  sent += writer.pending();
  EXPECT_EQ(IdsIn(sent), (std::vector<uint64_t>{1, 2}));
  EXPECT_LT(LengthOfFirstMessage(sent), sent.size() - 8);
}

TEST(QueryFrameWriterTest, LargeMessagesGetNoFurtherFrames) {
  QueryFrameWriter writer;
  writer.Add(AnswerOf(1, 70000));
  writer.Add(AnswerOf(2));
  EXPECT_LT(LengthOfFirstMessage(writer.pending()), writer.pending().size() - 8);
  EXPECT_EQ(IdsIn(writer.pending()), (std::vector<uint64_t>{1, 2}));
}

TEST(QueryFrameWriterTest, KeepsLittleMemoryWhenEverythingIsSent) {
  QueryFrameWriter writer;
  writer.Add(AnswerOf(1, 70000));
  writer.Sent(writer.pending().size());
  EXPECT_TRUE(writer.empty());
  EXPECT_LT(writer.capacity(), 2048);
  writer.Add(AnswerOf(2));
  EXPECT_EQ(IdsIn(writer.pending()), std::vector<uint64_t>{2});
}

}  // namespace
}  // namespace stagedoor::server

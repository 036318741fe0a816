#include "server/query_stream/frame_messages.h"

#include <gtest/gtest.h>

#include <string>

#include "server/testing/byte_buffers.h"

namespace stagedoor::server {
namespace {

v1::ServerFrame AnswerOf(uint64_t id, size_t bytes) {
  v1::ServerFrame frame;
  frame.mutable_answer()->set_request_id(id);
  frame.mutable_answer()->mutable_values()->set_snapshot(std::string(bytes, 'x'));
  return frame;
}

v1::ServerFrames Take(FrameMessages& messages) {
  v1::ServerFrames frames;
  EXPECT_TRUE(frames.ParseFromString(BytesOf(messages.Take())));
  return frames;
}

TEST(FrameMessagesTest, FramesThatWaitTogetherAreOneMessage) {
  FrameMessages messages;
  EXPECT_TRUE(messages.empty());
  for (uint64_t id = 0; id < 3; ++id) messages.Add(AnswerOf(id, 10));
  const size_t bytes = messages.bytes();
  const v1::ServerFrames frames = Take(messages);
  EXPECT_EQ(bytes, frames.ByteSizeLong());
  ASSERT_EQ(frames.frames_size(), 3);
  for (int i = 0; i < 3; ++i) EXPECT_EQ(frames.frames(i).answer().request_id(), i);
  EXPECT_TRUE(messages.empty());
  EXPECT_EQ(messages.bytes(), 0);
}

TEST(FrameMessagesTest, OnlyASingleFrameMakesALargeMessage) {
  FrameMessages messages;
  messages.Add(AnswerOf(1, 10));
  messages.Add(AnswerOf(2, FrameMessages::kMessageBytes));
  messages.Add(AnswerOf(3, 10));
  messages.Add(AnswerOf(4, FrameMessages::kMessageBytes / 2));
  messages.Add(AnswerOf(5, FrameMessages::kMessageBytes / 2));
  EXPECT_EQ(Take(messages).frames_size(), 1);
  const v1::ServerFrames large = Take(messages);
  ASSERT_EQ(large.frames_size(), 1);
  EXPECT_EQ(large.frames(0).answer().request_id(), 2);
  EXPECT_EQ(Take(messages).frames_size(), 2);
  EXPECT_EQ(Take(messages).frames(0).answer().request_id(), 5);
  EXPECT_TRUE(messages.empty());
}

TEST(FrameMessagesTest, ClearDropsWhatWaits) {
  FrameMessages messages;
  messages.Add(AnswerOf(1, 10));
  messages.Clear();
  EXPECT_TRUE(messages.empty());
  EXPECT_EQ(messages.bytes(), 0);
}

}  // namespace
}  // namespace stagedoor::server

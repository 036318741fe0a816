#include "base/frame_reader.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "base/status.h"

namespace stagedoor {
namespace {

// A message with its length before it.
std::string Sent(const std::string& message) {
  const auto size = static_cast<uint32_t>(message.size());
  return std::string(reinterpret_cast<const char*>(&size), sizeof(size)) + message;
}

std::string Frame(const std::string& content) {
  return std::string("\x0A") + static_cast<char>(content.size()) + content;
}

// The frames of `bytes`, fed in parts, and the error that ends them.
std::vector<std::string> ReadAll(const std::string& bytes, size_t part, size_t most = 100) {
  FrameReader reader(most);
  std::vector<std::string> frames;
  for (size_t at = 0; at < bytes.size(); at += part) {
    reader.Feed(std::string_view(bytes).substr(at, part));
    for (;;) {
      const auto frame = reader.Next();
      if (!frame.ok()) {
        frames.push_back("error: " + std::string(Message(frame.status())));
        return frames;
      }
      if (!frame->has_value()) break;
      frames.emplace_back(**frame);
    }
  }
  return frames;
}

TEST(FrameReaderTest, FindsFramesHoweverTheyArrive) {
  const std::string bytes = Sent(Frame("one") + Frame("")) + Sent("") + Sent(Frame("two"));
  const std::vector<std::string> frames = {"one", "", "two"};
  for (const size_t part : {size_t{1}, size_t{2}, size_t{5}, bytes.size()}) {
    EXPECT_EQ(ReadAll(bytes, part), frames) << part;
  }
}

TEST(FrameReaderTest, HandsOutAFrameBeforeItsMessageIsComplete) {
  const std::string bytes = Sent(Frame("one") + Frame("two"));
  FrameReader reader;
  reader.Feed(bytes.substr(0, bytes.size() - 1));
  EXPECT_EQ(**reader.Next(), "one");
  EXPECT_EQ(*reader.Next(), std::nullopt);
  reader.Feed(bytes.substr(bytes.size() - 1));
  EXPECT_EQ(**reader.Next(), "two");
  EXPECT_EQ(reader.held(), 0);
}

TEST(FrameReaderTest, RejectsMalformedMessages) {
  const struct {
    std::string bytes, error;
  } kCases[] = {
      {std::string("\xff\xff\xff\x7f", 4),
       "a message of 2147483647 bytes exceeds the limit of 100"
       " bytes"},
      {Sent(std::string(101, 'x')), "a message of 101 bytes exceeds the limit of 100 bytes"},
      {Sent("\x12\x01x"), "a message has other fields than frames"},
      {Sent("\x0A\x05xx"), "a frame is longer than its message"},
      {Sent("\x0A\xff\xff\xff\xff\xff\x01"), "the length of a frame has more than 5 bytes"},
      {Sent("\x0A"), "a message ends within the length of a frame"},
      {Sent("\x0A\x80"), "a message ends within the length of a frame"},
  };
  for (const auto& [bytes, error] : kCases) {
    for (const size_t part : {size_t{1}, bytes.size()}) {
      EXPECT_EQ(ReadAll(bytes, part), std::vector<std::string>{"error: " + error});
    }
  }
}

TEST(FrameReaderTest, ReturnsTheMemoryOfALargeMessage) {
  FrameReader reader;
  std::string large(200000, 'x');
  large = std::string("\x0A\xC0\x9A\x0C", 4) + large;  // 200,000 as a varint
  reader.Feed(Sent(large));
  EXPECT_EQ((**reader.Next()).size(), 200000);
  reader.Feed(Sent(Frame("small")));
  EXPECT_EQ(**reader.Next(), "small");
  EXPECT_LT(reader.capacity(), 2048);
}

}  // namespace
}  // namespace stagedoor

#ifndef STAGEDOOR_BASE_FRAME_READER_H_
#define STAGEDOOR_BASE_FRAME_READER_H_

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"

namespace stagedoor {

// The most bytes of one message of frames (Window.bytes).
inline constexpr size_t kMaxFrameMessageBytes = size_t{256} << 10;

// Takes frames out of the bytes of a socket, however these arrive. The bytes are messages, each
// preceded by its length as 4 bytes, little-endian; a message is a ClientFrames or ServerFrames. A
// frame is handed out once it is complete, before the rest of its message has arrived.
//
// Holds at most the bytes that it was fed and has not handed out. After an error the stream cannot
// be read any further. Not thread-safe.
class FrameReader {
 public:
  explicit FrameReader(size_t max_message_bytes = kMaxFrameMessageBytes)
      : max_message_bytes_(max_message_bytes) {}

  // Adds bytes. Invalidates the frames that Next has returned.
  void Feed(std::string_view bytes);

  // The next frame, without its field tag and length: what ClientFrame::ParseFromArray takes.
  // Nothing if more bytes are needed. INVALID_ARGUMENT for a message above the limit, for anything
  // but frames in it, and for a frame that is longer than its message.
  absl::StatusOr<std::optional<std::string_view>> Next();

  // The bytes that have not been handed out.
  size_t held() const { return buffer_.size() - place_; }
  // The memory in use.
  size_t capacity() const { return buffer_.capacity(); }

 private:
  // Sets `*number` to a varint at `at` of at most 32 bits, and moves `at` behind it. False if it
  // ends behind `end`.
  absl::StatusOr<bool> ReadLength(size_t end, size_t* at, size_t* number) const;
  absl::StatusOr<bool> ReadHeader();

  const size_t max_message_bytes_;
  std::string buffer_;
  size_t place_ = 0;         // of the first byte that is not handed out
  size_t message_left_ = 0;  // the bytes of the current message from there on
};

}  // namespace stagedoor

#endif  // STAGEDOOR_BASE_FRAME_READER_H_

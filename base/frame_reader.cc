#include "base/frame_reader.h"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>

#include "base/status.h"
#include "base/status_macros.h"

namespace stagedoor {
namespace {

constexpr size_t kHeaderBytes = sizeof(uint32_t);
// The tag of the field `frames`, which is number 1 in both directions: length-delimited.
constexpr char kFramesTag = 0x0A;
// The memory that an idle channel keeps for the next frames.
constexpr size_t kKeptBytes = 1024;

static_assert(std::endian::native == std::endian::little, "lengths are read without conversion");

}  // namespace

void FrameReader::Feed(std::string_view bytes) {
  if (held() == 0) {
    place_ = 0;
    if (buffer_.capacity() > kKeptBytes && bytes.size() <= kKeptBytes) {
      std::string().swap(buffer_);
    }
    buffer_.assign(bytes);
    return;
  }
  buffer_.erase(0, place_);
  place_ = 0;
  buffer_.append(bytes);
}

absl::StatusOr<bool> FrameReader::ReadLength(size_t end, size_t* at, size_t* number) const {
  uint64_t value = 0;
  for (int shift = 0; shift <= 28; shift += 7) {
    if (*at == end) return false;
    const auto byte = static_cast<uint8_t>(buffer_[(*at)++]);
    value |= uint64_t{byte & 0x7FU} << shift;
    if (byte < 0x80) {
      *number = static_cast<size_t>(value);
      return true;
    }
  }
  return InvalidArgumentError("the length of a frame has more than 5 bytes");
}

absl::StatusOr<bool> FrameReader::ReadHeader() {
  while (message_left_ == 0) {
    if (held() < kHeaderBytes) return false;
    uint32_t length = 0;
    std::memcpy(&length, buffer_.data() + place_, kHeaderBytes);
    if (length > max_message_bytes_) {
      return InvalidArgumentError("a message of ", length, " bytes exceeds the limit of ",
                                  max_message_bytes_, " bytes");
    }
    place_ += kHeaderBytes;
    message_left_ = length;
  }
  return true;
}

absl::StatusOr<std::optional<std::string_view>> FrameReader::Next() {
  SD_ASSIGN_OR_RETURN(const bool has_header, ReadHeader());
  if (!has_header || held() == 0) return std::nullopt;
  if (buffer_[place_] != kFramesTag) {
    return InvalidArgumentError("a message has other fields than frames");
  }
  size_t at = place_ + 1, length = 0;
  const size_t end = place_ + std::min(message_left_, held());
  SD_ASSIGN_OR_RETURN(const bool has_length, ReadLength(end, &at, &length));
  const size_t message_end = place_ + message_left_;
  if (!has_length) {
    if (end < message_end) return std::nullopt;
    return InvalidArgumentError("a message ends within the length of a frame");
  }
  if (length > message_end - at) return InvalidArgumentError("a frame is longer than its message");
  if (at + length > buffer_.size()) return std::nullopt;
  const std::string_view frame(buffer_.data() + at, length);
  message_left_ = message_end - (at + length);
  place_ = at + length;
  return frame;
}

}  // namespace stagedoor

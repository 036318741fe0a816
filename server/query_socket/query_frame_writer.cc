#include "server/query_socket/query_frame_writer.h"

#include <google/protobuf/io/coded_stream.h>

#include <cstdint>
#include <cstring>

namespace stagedoor::server {
namespace {

using google::protobuf::io::CodedOutputStream;

constexpr size_t kLengthBytes = sizeof(uint32_t);
constexpr char kTagOfFrames = 0x0A;
constexpr size_t kMaxVarintBytes = 5;
// A message of at least this size gets no further frames.
constexpr size_t kMessageBytes = size_t{64} << 10;
// The memory that an idle channel keeps.
constexpr size_t kKeptCapacity = 1024;

}  // namespace

void AppendFrame(const v1::ServerFrame& frame, std::string* message) {
  const size_t size = frame.ByteSizeLong();
  uint8_t tag[1 + kMaxVarintBytes] = {kTagOfFrames};
  const uint8_t* const end =
      CodedOutputStream::WriteVarint32ToArray(static_cast<uint32_t>(size), tag + 1);
  message->append(reinterpret_cast<const char*>(tag), static_cast<size_t>(end - tag));
  const size_t place = message->size();
  message->resize(place + size);
  frame.SerializeWithCachedSizesToArray(reinterpret_cast<uint8_t*>(message->data() + place));
}

void QueryFrameWriter::Add(const v1::ServerFrame& frame) {
  if (open_ && bytes_.size() - message_ >= kMessageBytes) open_ = false;
  if (!open_) {
    message_ = bytes_.size();
    bytes_.append(kLengthBytes, '\0');
    open_ = true;
  }
  AppendFrame(frame, &bytes_);
  const auto length = static_cast<uint32_t>(bytes_.size() - message_ - kLengthBytes);
  std::memcpy(bytes_.data() + message_, &length, kLengthBytes);
}

void QueryFrameWriter::Sent(size_t bytes) {
  sent_ += bytes;
  if (sent_ > message_) open_ = false;
  if (!empty()) return;
  sent_ = message_ = 0;
  open_ = false;
  if (bytes_.capacity() > kKeptCapacity) {
    std::string().swap(bytes_);
  } else {
    bytes_.clear();
  }
}

}  // namespace stagedoor::server

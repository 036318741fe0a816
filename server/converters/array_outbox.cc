#include "server/converters/array_outbox.h"

#include <algorithm>
#include <utility>

#include "base/status_macros.h"
#include "scene/values/source_bytes.h"
#include "server/converters/pin_or_copy_chunk.h"
#include "server/rpc/message_fragments.h"
#include "stagedoor/v1/streams.pb.h"

namespace stagedoor::server {

bool ArrayOutbox::Inlines(size_t bytes, size_t message_bytes) const {
  return bytes <= std::min(kMaxInlineBytes, chunk_bytes_) &&
         (bytes == 0 || message_bytes + bytes <= chunk_bytes_);
}

absl::Status ArrayOutbox::Add(const ArrayBase& array, size_t bytes, uint32_t* id) {
  Entry entry{std::make_shared<const ArrayBase>(array), bytes, Reservation(context_)};
  if (reserves_ && SourceOf(array) == nullptr) {
    SD_RETURN_IF_ERROR(entry.reserved.Grow(bytes, "the arrays of a reply"));
  }
  *id = first_id_ + static_cast<uint32_t>(queue_.size());
  queue_.push_back(std::move(entry));
  ++unannounced_;
  pending_bytes_ += bytes;
  return absl::OkStatus();
}

void ArrayOutbox::Shrink(size_t count) {
  for (; queue_.size() > count; queue_.pop_back()) {
    pending_bytes_ -= queue_.back().bytes;
    --unannounced_;
  }
}

absl::Status ArrayOutbox::WriteParts(WireWriter* message) {
  if (queue_.empty()) return absl::OkStatus();
  WireWriter parts;
  parts.Number(v1::StreamParts::kArrayCountFieldNumber, std::exchange(unannounced_, 0));
  size_t room = chunk_bytes_ - std::min(chunk_bytes_, message->size());
  while (!queue_.empty() && room != 0) {
    const size_t before = pending_bytes_;
    SD_RETURN_IF_ERROR(WriteChunk(room, &parts));
    room -= before - pending_bytes_;
  }
  message->Message(kStreamPartsField, std::move(parts));
  return absl::OkStatus();
}

absl::Status ArrayOutbox::WriteChunk(size_t most, WireWriter* parts) {
  const Entry& entry = queue_.front();
  const size_t bytes = std::min(most, entry.bytes - offset_);
  const char* from = static_cast<const char*>(entry.array->raw_data()) + offset_;
  SD_ASSIGN_OR_RETURN(PinnedChunk chunk,
                      PinOrCopyChunk({from, bytes}, entry.array, SourceOf(*entry.array)));
  WriteArrayChunk(first_id_, offset_, std::move(chunk), parts);
  offset_ += bytes;
  pending_bytes_ -= bytes;
  if (offset_ < entry.bytes) return absl::OkStatus();
  queue_.pop_front();
  ++first_id_;
  offset_ = 0;
  return absl::OkStatus();
}

void WriteArrayChunk(uint32_t array_id, size_t offset, PinnedChunk bytes, WireWriter* parts) {
  WireWriter chunk;
  chunk.Number(v1::ArrayChunk::kArrayIdFieldNumber, array_id);
  chunk.Number(v1::ArrayChunk::kOffsetFieldNumber, offset);
  chunk.Chunk(v1::ArrayChunk::kDataFieldNumber, std::move(bytes));
  parts->Message(v1::StreamParts::kChunksFieldNumber, std::move(chunk));
}

}  // namespace stagedoor::server

#ifndef STAGEDOOR_SERVER_CONVERTERS_ARRAY_OUTBOX_H_
#define STAGEDOOR_SERVER_CONVERTERS_ARRAY_OUTBOX_H_

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>

#include "absl/status/status.h"
#include "base/request_context.h"
#include "base/reservation.h"
#include "scene/values/array.h"
#include "server/rpc/wire_writer.h"

namespace stagedoor::server {

// The arrays that the messages of a stream refer to and whose bytes follow in chunks: see
// streams.proto. The arrays share their buffers and are sent from there, so that they are copied
// only out of mapped files. Not thread-safe.
class ArrayOutbox {
 public:
  // `chunk_bytes`: the most bytes of arrays in one message. `reserves`: whether arrays that are in
  // memory are reserved in the context until they are sent. The context must outlive the outbox.
  ArrayOutbox(RequestContext& context, size_t chunk_bytes, bool reserves = true)
      : context_(context), chunk_bytes_(chunk_bytes), reserves_(reserves) {}

  // Whether an array belongs into a message that has `message_bytes` already.
  bool Inlines(size_t bytes, size_t message_bytes) const;

  // Takes an array of `bytes` bytes and returns its ID. Fails only if the bytes cannot be reserved.
  absl::Status Add(const ArrayBase& array, size_t bytes, uint32_t* id);

  // The number of arrays that are still to be sent.
  size_t size() const { return queue_.size(); }
  bool empty() const { return queue_.empty(); }
  // Removes the latest arrays so that `count` remain, because the message that refers to them is
  // discarded. No bytes of them may have been written.
  void Shrink(size_t count);

  // The bytes that are still to be sent.
  size_t pending_bytes() const { return pending_bytes_; }

  // Writes the field `stream_parts` of a message: the number of arrays that were added since the
  // last call, and up to chunk_bytes of chunks, less the size of the message so far. DATA_LOSS if
  // an array is in a mapped file that has changed.
  absl::Status WriteParts(WireWriter* message);

 private:
  struct Entry {
    std::shared_ptr<const ArrayBase> array;
    size_t bytes;
    Reservation reserved;  // none if the array is in a mapped file
  };

  absl::Status WriteChunk(size_t most, WireWriter* parts);

  RequestContext& context_;
  const size_t chunk_bytes_;
  const bool reserves_;
  std::deque<Entry> queue_;
  uint32_t first_id_ = 0;  // the ID of the first array in the queue
  size_t offset_ = 0;      // the bytes of the first array that were written
  size_t unannounced_ = 0;
  size_t pending_bytes_ = 0;
};

// Writes a chunk as an element of StreamParts.chunks.
void WriteArrayChunk(uint32_t array_id, size_t offset, PinnedChunk bytes, WireWriter* parts);

// The largest array that is sent within a message.
inline constexpr size_t kMaxInlineBytes = size_t{64} << 10;

}  // namespace stagedoor::server

#endif  // STAGEDOOR_SERVER_CONVERTERS_ARRAY_OUTBOX_H_

#ifndef STAGEDOOR_SERVER_FRAME_MEMORY_FRAME_MEMORY_H_
#define STAGEDOOR_SERVER_FRAME_MEMORY_FRAME_MEMORY_H_

#include <cstddef>
#include <memory>
#include <string>

#include "absl/status/status.h"
#include "base/keyed_hasher.h"
#include "base/lru_cache.h"
#include "base/memory_pool.h"
#include "base/request_context.h"
#include "server/frame_memory/frame_digests.h"
#include "server/frame_memory/frame_token.h"

namespace stagedoor::server {

// Remembers what clients hold of frames, for those that want to be sent only what an edit or a
// reload changed (ExtractFrameRequest.changes_between_snapshots). Frames within one snapshot need
// no memory: their plan says what varies.
//
// An entry is kept under the token of a frame. It is made of the messages that complete this frame:
// of all parts of a complete one, or of the entry of the base and the parts that were sent of it.
// So it says for each part that any client of the frame holds which 64-bit digest its identity and
// bytes have. A part is left out of a later frame if its digest there is the same. Equal
// digests mean equal bytes: they are made with a secret key of this process, so nobody can
// construct two parts with one digest, and two given ones have the same with a probability of
// 2^-64. An array that is stored in a file counts by the digest of its place, which is that of its
// bytes.
//
// A part that is in doubt is not in the entry, so that it is sent again: parts that could not be
// sent, and parts that no prim of the frame has any more, because clients need not keep them.
// Without an entry, which may have been evicted, or be on another replica, the frame is complete.
//
// Entries are charged to the budget of stages, and those that were not used for longest go first.
// Thread-safe.
class FrameMemory {
 public:
  struct Options {
    size_t max_bytes = size_t{256} << 20;  // of all entries; at most an eighth of the pool's limit
    size_t max_entries = 10'000;
  };

  // `pool` may be null, in which case nothing is charged.
  FrameMemory(std::shared_ptr<MemoryPool> pool, const Options& options);

  using Pointer = std::shared_ptr<const FrameDigests>;

  // The digests of a client that has this frame; null if they are not known.
  Pointer Find(const FrameToken& frame);

  // Remembers the parts of a frame, unless there is no memory for them. Errors: those of the
  // context.
  absl::Status Keep(RequestContext& context, const FrameToken& frame, FrameDigestsBuilder* digests);

  // The most bytes of one entry.
  size_t max_entry_bytes() const { return frames_.max_bytes() / 2; }
  const KeyedHasher::Key& hash_key() const { return hash_key_; }

  // Evicts all entries that no call uses.
  void Evict() { frames_.DropUnpinned(); }

  LruCacheStats Stats() const { return frames_.Stats(); }

 private:
  const std::shared_ptr<MemoryPool> pool_;
  const KeyedHasher::Key hash_key_ = KeyedHasher::Key::Random();
  LruCache<std::string, FrameDigests> frames_;  // by the bytes of the token
};

}  // namespace stagedoor::server

#endif  // STAGEDOOR_SERVER_FRAME_MEMORY_FRAME_MEMORY_H_

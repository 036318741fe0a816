#ifndef STAGEDOOR_SERVER_FRAME_MEMORY_FRAME_DIGESTS_H_
#define STAGEDOOR_SERVER_FRAME_MEMORY_FRAME_DIGESTS_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "base/memory_pool.h"
#include "base/request_context.h"
#include "base/reservation.h"
#include "scene/frame/frame_id.h"

namespace stagedoor::server {

// The parts of a frame that a client holds: its objects, and a digest for each of their parts.
//
// Frames that follow each other share most of it, so it is a table that many frames have in common
// and the differences of this one. Immutable and thread-safe.
class FrameDigests {
 public:
  // A part or an object by its key (FramePartKeys), and its digest, which is 0 for what the client
  // does not hold.
  struct Entry {
    uint64_t key = 0;
    uint64_t digest = 0;
    friend bool operator<(const Entry& a, const Entry& b) { return a.key < b.key; }
  };

  // 0 if the client does not hold it.
  uint64_t Find(uint64_t key) const;
  // Calls visit(object) for all objects that the client may hold, until it returns false.
  void VisitObjects(const std::function<bool(FrameId)>& visit) const;

  // The memory of this frame, and of the table that it shares.
  size_t byte_size() const;

 private:
  friend class FrameDigestsBuilder;
  struct Table {
    std::shared_ptr<MemoryPool> pool;  // of `reserved`; may be null
    std::vector<Entry> entries;        // ascending, each key once
    std::vector<FrameId> objects;      // ascending, each once
    Reservation reserved;

    size_t byte_size() const;
    void ChargeTo(std::shared_ptr<MemoryPool> to);
  };

  std::shared_ptr<const Table> table_;  // null if there is none
  Table own_;                           // precedes the table
};

// Collects the digests of a frame. For one thread.
class FrameDigestsBuilder {
 public:
  // Begins with what `base` has, which is null for an empty one. Collects nothing more once there
  // would be more than `max_bytes`.
  FrameDigestsBuilder(RequestContext& context, std::shared_ptr<const FrameDigests> base,
                      size_t max_bytes)
      : base_(std::move(base)), max_bytes_(max_bytes), reserved_(context) {}

  // The last digest that is set for a key counts.
  void Set(uint64_t key, uint64_t digest);
  void AddObject(FrameId object);

  // The digests, charged to `pool`, which may be null. Null if they are too many. To be called
  // once. Errors: those of the context.
  absl::StatusOr<std::shared_ptr<const FrameDigests>> Finish(RequestContext& context,
                                                             std::shared_ptr<MemoryPool> pool);

 private:
  using Table = FrameDigests::Table;

  // Whether another element of `bytes` bytes may be added.
  bool Grow(size_t bytes);
  // The digests that were set, as a table.
  absl::StatusOr<Table> Sorted(RequestContext& context);

  const std::shared_ptr<const FrameDigests> base_;
  const size_t max_bytes_;
  Reservation reserved_;
  Table added_;       // in the order of the calls
  size_t bytes_ = 0;  // of its elements
  bool too_many_ = false;
};

}  // namespace stagedoor::server

#endif  // STAGEDOOR_SERVER_FRAME_MEMORY_FRAME_DIGESTS_H_

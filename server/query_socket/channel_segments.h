#ifndef STAGEDOOR_SERVER_QUERY_SOCKET_CHANNEL_SEGMENTS_H_
#define STAGEDOOR_SERVER_QUERY_SOCKET_CHANNEL_SEGMENTS_H_

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <vector>

#include "absl/status/status.h"
#include "base/memory_pool.h"
#include "base/mutex.h"
#include "base/reservation.h"
#include "server/query_socket/shared_segment_file.h"
#include "stagedoor/v1/values.pb.h"

namespace stagedoor::server {

// The segments of shared memory of one channel, and the places in them. A segment is made when an
// array finds no place, and used again and again; it ends when it has not been used for a while.
// All of them end with the channel. They count against its memory. Thread-safe.
class ChannelSegments {
 public:
  using Clock = std::chrono::steady_clock;

  // The size of a segment, unless one array needs a larger one, and of all segments together.
  static constexpr size_t kSegmentBytes = size_t{8} << 20;
  static constexpr size_t kMaxBytes = size_t{48} << 20;
  static constexpr std::chrono::seconds kIdle{10};

  // Where the client learns of segments. Called with a lock held that Place takes.
  class Announcer {
   public:
    virtual ~Announcer() = default;
    // `fd` is the announcer's to close.
    virtual void AnnounceSegment(uint64_t id, size_t size, int fd) = 0;
    virtual void AnnounceEnd(uint64_t id) = 0;
  };

  // Both must outlive the object.
  ChannelSegments(MemoryPool& memory, Announcer& announcer)
      : memory_(memory), announcer_(announcer) {}

  // A place for `bytes` bytes, with an alignment of 64 bytes. Null if there is none.
  char* Place(size_t bytes, v1::SharedSegment* out);
  // Makes a place free. INVALID_ARGUMENT (INVALID_FIELD) unless it is in use as described.
  absl::Status Release(const v1::SharedSegment& place);
  // Ends segments that were not used for kIdle.
  void EndIdle(Clock::time_point now);

  // Whether there are no segments.
  bool empty() const;

 private:
  struct InUse {
    size_t size;
    uint64_t generation;
  };
  struct Segment {
    std::unique_ptr<SharedSegmentFile> file;
    Reservation reserved;
    std::map<size_t, InUse> places;  // by offset
    Clock::time_point used;
  };

  // Where `bytes` bytes are free; the size of the segment if nowhere.
  static size_t FindGap(const Segment& segment, size_t bytes);
  bool AddSegment(size_t bytes) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_);

  MemoryPool& memory_;
  Announcer& announcer_;
  mutable Mutex mu_;
  std::map<uint64_t, Segment> segments_ ABSL_GUARDED_BY(mu_);  // by ID
  size_t bytes_ ABSL_GUARDED_BY(mu_) = 0;
  uint64_t last_id_ ABSL_GUARDED_BY(mu_) = 0;
  uint64_t last_generation_ ABSL_GUARDED_BY(mu_) = 0;
};

}  // namespace stagedoor::server

#endif  // STAGEDOOR_SERVER_QUERY_SOCKET_CHANNEL_SEGMENTS_H_

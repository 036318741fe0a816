#ifndef STAGEDOOR_CLIENT_CC_SHARED_SEGMENTS_H_
#define STAGEDOOR_CLIENT_CC_SHARED_SEGMENTS_H_

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <span>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "absl/status/status.h"
#include "client/cc/shared_arrays.h"
#include "stagedoor/v1/frames.pb.h"
#include "stagedoor/v1/query.pb.h"

namespace stagedoor {

// The segments of memory that a daemon shares with a query connection, each mapped once for
// reading. A daemon is not believed: a segment whose size could change would end the process at the
// next access, so it is refused. Not thread-safe; what was found stays mapped as long as it is
// used.
class SharedSegments {
 public:
  static constexpr size_t kMaxSegments = 64;

  SharedSegments() = default;
  // Closes the descriptors that no frame has announced.
  ~SharedSegments();
  SharedSegments(const SharedSegments&) = delete;
  SharedSegments& operator=(const SharedSegments&) = delete;

  // Takes a descriptor that has arrived. They are announced in the same order.
  void AddDescriptor(int fd);
  // Maps the segment of the next descriptor. DATA_LOSS if there is none, or if it is not as
  // announced or not sealed.
  absl::Status Map(const v1::NewSegment& announced);
  void Unmap(uint64_t id) { segments_.erase(id); }

  // Appends the arrays of a reply that are in segments. DATA_LOSS if one of them is not within its
  // segment, or has another size than its array.
  absl::Status FindAll(const v1::BatchGetValuesResponse& reply,
                       std::vector<SharedArrays::Array>* arrays) const;

 private:
  struct Segment {
    std::shared_ptr<const void> mapping;
    size_t size = 0;
  };

  std::deque<int> descriptors_;
  std::unordered_map<uint64_t, Segment> segments_;
};

}  // namespace stagedoor

#endif  // STAGEDOOR_CLIENT_CC_SHARED_SEGMENTS_H_

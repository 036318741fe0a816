#ifndef STAGEDOOR_RESOLVER_HTTP_RANGE_DELIVERY_H_
#define STAGEDOOR_RESOLVER_HTTP_RANGE_DELIVERY_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "resolver/store/object_store.h"

namespace stagedoor {

// Passes the bytes of ranges to the sink of a fetch: each byte once, and those of a range in
// order, from whichever responses they come. For one thread.
class RangeDelivery {
 public:
  // `sink` must outlive it.
  RangeDelivery(std::span<const ByteRange> ranges, const ObjectStore::Sink& sink);

  size_t size() const { return next_.size(); }
  const ByteRange& range(size_t index) const { return ranges_[index]; }
  // The offset of the next byte that the range needs; its end if it is complete.
  uint64_t next(size_t index) const { return next_[index]; }
  bool complete() const { return incomplete_ == 0; }

  // Delivers what each range needs next of some bytes of the object. An error, ABORTED, means that
  // the sink has failed; see sink_status().
  absl::Status Deliver(uint64_t offset, std::string_view bytes);
  // As Deliver, for one of the ranges.
  absl::Status Deliver(size_t index, uint64_t offset, std::string_view bytes);

  const absl::Status& sink_status() const { return sink_status_; }

 private:
  const std::vector<ByteRange> ranges_;
  const ObjectStore::Sink& sink_;
  std::vector<uint64_t> next_;
  size_t incomplete_;
  absl::Status sink_status_;
};

}  // namespace stagedoor

#endif  // STAGEDOOR_RESOLVER_HTTP_RANGE_DELIVERY_H_

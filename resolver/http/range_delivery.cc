#include "resolver/http/range_delivery.h"

#include <algorithm>

#include "base/status.h"
#include "base/status_macros.h"

namespace stagedoor {

RangeDelivery::RangeDelivery(std::span<const ByteRange> ranges, const ObjectStore::Sink& sink)
    : ranges_(ranges.begin(), ranges.end()), sink_(sink), incomplete_(ranges.size()) {
  next_.reserve(ranges_.size());
  for (const ByteRange& range : ranges_) next_.push_back(range.offset);
}

absl::Status RangeDelivery::Deliver(uint64_t offset, std::string_view bytes) {
  for (size_t i = 0; i < ranges_.size(); ++i) SD_RETURN_IF_ERROR(Deliver(i, offset, bytes));
  return absl::OkStatus();
}

absl::Status RangeDelivery::Deliver(size_t index, uint64_t offset, std::string_view bytes) {
  uint64_t& next = next_[index];
  const uint64_t end = ranges_[index].end();
  const uint64_t stop = std::min(end, offset + bytes.size());
  if (next < offset || next >= stop) return absl::OkStatus();
  const std::string_view part =
      bytes.substr(static_cast<size_t>(next - offset), static_cast<size_t>(stop - next));
  sink_status_ = sink_(next, std::as_bytes(std::span(part.data(), part.size())));
  // As another error, because UNAVAILABLE would be retried.
  if (!sink_status_.ok()) return AbortedError("the bytes cannot be stored");
  next = stop;
  if (next == end) --incomplete_;
  return absl::OkStatus();
}

}  // namespace stagedoor

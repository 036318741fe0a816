#include "server/query_socket/channel_segments.h"

#include <algorithm>
#include <utility>

#include "base/strings.h"
#include "server/error_info.h"

namespace stagedoor::server {
namespace {

constexpr size_t kAlignment = 64;
constexpr size_t kPage = 4096;

constexpr size_t RoundUp(size_t bytes, size_t unit) { return (bytes + unit - 1) / unit * unit; }

}  // namespace

size_t ChannelSegments::FindGap(const Segment& segment, size_t bytes) {
  size_t at = 0;
  for (const auto& [offset, use] : segment.places) {
    if (offset - at >= bytes) return at;
    at = RoundUp(offset + use.size, kAlignment);
  }
  const size_t size = segment.file->size();
  return at <= size && size - at >= bytes ? at : size;
}

char* ChannelSegments::Place(size_t bytes, v1::SharedSegment* out) {
  if (bytes == 0 || bytes > kMaxBytes) return nullptr;
  MutexLock lock(mu_);
  for (int attempt = 0; attempt < 2; ++attempt) {
    for (auto& [id, segment] : segments_) {
      const size_t offset = FindGap(segment, bytes);
      if (offset == segment.file->size()) continue;
      segment.places[offset] = {bytes, ++last_generation_};
      segment.used = Clock::now();
      out->set_segment_id(id);
      out->set_offset(offset);
      out->set_size(bytes);
      out->set_generation(last_generation_);
      return segment.file->data() + offset;
    }
    if (attempt == 1 || !AddSegment(bytes)) break;
  }
  return nullptr;
}

bool ChannelSegments::AddSegment(size_t bytes) {
  const size_t size = std::max(kSegmentBytes, RoundUp(bytes, kPage));
  if (size > kMaxBytes - bytes_) return false;
  Segment segment;
  segment.reserved = Reservation(memory_);
  if (!segment.reserved.Grow(size, "a segment of shared memory").ok()) return false;
  auto file = SharedSegmentFile::Create(size);
  if (!file.ok()) return false;
  segment.file = *std::move(file);
  const uint64_t id = ++last_id_;
  bytes_ += size;
  announcer_.AnnounceSegment(id, size, segment.file->TakeDescriptor());
  segments_.emplace(id, std::move(segment));
  return true;
}

absl::Status ChannelSegments::Release(const v1::SharedSegment& place) {
  MutexLock lock(mu_);
  const auto segment = segments_.find(place.segment_id());
  if (segment != segments_.end()) {
    std::map<size_t, InUse>& places = segment->second.places;
    const auto use = places.find(place.offset());
    if (use != places.end() && use->second.size == place.size() &&
        use->second.generation == place.generation()) {
      places.erase(use);
      segment->second.used = Clock::now();
      return absl::OkStatus();
    }
  }
  return InvalidFieldError("release.arrays", Concat(place.segment_id(), ", ", place.offset()),
                           "no array is at this place");
}

void ChannelSegments::EndIdle(Clock::time_point now) {
  MutexLock lock(mu_);
  for (auto segment = segments_.begin(); segment != segments_.end();) {
    const auto next = std::next(segment);
    if (segment->second.places.empty() && now - segment->second.used >= kIdle) {
      announcer_.AnnounceEnd(segment->first);
      bytes_ -= segment->second.file->size();
      segments_.erase(segment);
    }
    segment = next;
  }
}

bool ChannelSegments::empty() const {
  MutexLock lock(mu_);
  return segments_.empty();
}

}  // namespace stagedoor::server

#include "client/cc/shared_segments.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/status.h"
#include "base/status_macros.h"
#include "client/cc/array_assembler.h"

namespace stagedoor {
namespace {

absl::Status Inconsistent(std::string_view what) {
  return DataLossError("the daemon's shared memory is inconsistent: ", what);
}

}  // namespace

SharedSegments::~SharedSegments() {
  for (const int fd : descriptors_) ::close(fd);
}

void SharedSegments::AddDescriptor(int fd) { descriptors_.push_back(fd); }

absl::Status SharedSegments::Map(const v1::NewSegment& announced) {
  if (descriptors_.empty()) return Inconsistent("a segment has no descriptor");
  if (segments_.size() >= kMaxSegments) return Inconsistent("there are too many segments");
  const int fd = descriptors_.front();
  descriptors_.pop_front();
  const std::shared_ptr<void> closed(nullptr, [fd](void*) { ::close(fd); });
  struct stat about {};
  const int seals = ::fcntl(fd, F_GET_SEALS);
  if (seals < 0 || (seals & F_SEAL_SHRINK) == 0 || ::fstat(fd, &about) != 0) {
    return Inconsistent("a segment is not sealed");
  }
  const size_t size = announced.size();
  if (size == 0 || size != static_cast<size_t>(about.st_size)) {
    return Inconsistent("a segment has another size");
  }
  void* const mapped = ::mmap(nullptr, size, PROT_READ, MAP_SHARED, fd, 0);
  if (mapped == MAP_FAILED) return Inconsistent("a segment cannot be mapped");
  std::shared_ptr<const void> mapping(
      mapped, [size](const void* data) { ::munmap(const_cast<void*>(data), size); });
  if (!segments_.try_emplace(announced.segment_id(), Segment{std::move(mapping), size}).second) {
    return Inconsistent("two segments have one number");
  }
  return absl::OkStatus();
}

absl::Status SharedSegments::FindAll(const v1::BatchGetValuesResponse& reply,
                                     std::vector<SharedArrays::Array>* arrays) const {
  for (const v1::ValueColumn& column : reply.columns()) {
    for (const v1::Value& value : column.values()) {
      if (!value.has_array_value() || !value.array_value().has_segment()) continue;
      const v1::SharedSegment& place = value.array_value().segment();
      const auto found = segments_.find(place.segment_id());
      if (found == segments_.end()) return Inconsistent("an array is in an unknown segment");
      const Segment& segment = found->second;
      if (place.offset() > segment.size || place.size() > segment.size - place.offset() ||
          place.size() != ExpectedBytes(value.array_value())) {
        return Inconsistent("an array is not where it should be");
      }
      const char* const start = static_cast<const char*>(segment.mapping.get()) + place.offset();
      arrays->push_back({place, {start, place.size()}, segment.mapping});
    }
  }
  return absl::OkStatus();
}

}  // namespace stagedoor

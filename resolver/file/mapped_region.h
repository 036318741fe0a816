#ifndef STAGEDOOR_RESOLVER_FILE_MAPPED_REGION_H_
#define STAGEDOOR_RESOLVER_FILE_MAPPED_REGION_H_

#include <cstddef>
#include <memory>
#include <span>

#include "absl/status/statusor.h"

namespace stagedoor {

// A read-only mapping of a whole file that survives changes to the file.
//
// Reading a mapped page behind the end of a truncated file, or one that the disk cannot deliver,
// raises SIGBUS, which would end the process. The first mapping installs a process-wide SIGBUS
// handler. For addresses inside a live MappedRegion, it puts zero pages in place of the missing
// ones, marks the region as damaged and continues; any other SIGBUS goes to the previous handler.
// The table of regions that the handler reads is the only global state required.
//
// Thread-safe. The bytes stay mapped until the region is destroyed.
class MappedRegion {
 public:
  // Maps the first `size` (> 0) bytes of `fd`, which may be closed afterwards. RESOURCE_EXHAUSTED
  // if the kernel or the table of regions has no room, UNIMPLEMENTED if the file system cannot map
  // files, otherwise UNAVAILABLE.
  static absl::StatusOr<std::shared_ptr<const MappedRegion>> Map(int fd, size_t size);

  ~MappedRegion();
  MappedRegion(const MappedRegion&) = delete;
  MappedRegion& operator=(const MappedRegion&) = delete;

  std::span<const std::byte> bytes() const { return {data_, size_}; }

  // True once a page had to be replaced by zeros.
  bool damaged() const;
  // An offset at which a page was replaced; 0 if none was.
  size_t damaged_at() const;

 private:
  struct Slot;
  friend class RegionTable;
  explicit MappedRegion(size_t size) : size_(size) {}

  // Null until Map is done.
  const std::byte* data_ = nullptr;
  const size_t size_;
  Slot* slot_ = nullptr;
};

}  // namespace stagedoor

#endif  // STAGEDOOR_RESOLVER_FILE_MAPPED_REGION_H_

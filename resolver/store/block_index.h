#ifndef STAGEDOOR_RESOLVER_STORE_BLOCK_INDEX_H_
#define STAGEDOOR_RESOLVER_STORE_BLOCK_INDEX_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "base/unique_fd.h"
#include "resolver/store/cached_object.h"

namespace stagedoor {

// The index file of a cached object on disk: which object it is, and the checksum of each block
// that its data file holds. Several processes may use it at the same time: a block is written to
// the data file first and then to the index, and all of them write the same bytes. A checksum that
// does not match its block, after a crash for example, means that the block is absent.
//
// The file is locked (flock, shared) as long as the object lives, so that it is not evicted.
// Thread-safe. docs/decisions/disk-cache.md describes the format.
class BlockIndex {
 public:
  // Opens the index at `path`. NOT_FOUND if there is none; DATA_LOSS if it is damaged.
  static absl::StatusOr<std::unique_ptr<BlockIndex>> Open(const std::string& path);
  // Opens the index at `path`, or creates it for `object`. DATA_LOSS if it is damaged or is that of
  // another object; RESOURCE_EXHAUSTED if the disk is full; UNAVAILABLE for other failures.
  static absl::StatusOr<std::unique_ptr<BlockIndex>> OpenOrCreate(const std::string& path,
                                                                  const CachedObject& object);

  const CachedObject& object() const { return object_; }

  // The checksums of `count` blocks from `first` on; 0 for those that are absent.
  absl::StatusOr<std::vector<uint64_t>> Read(uint64_t first, uint64_t count) const;
  // Records the checksums of blocks from `first` on. RESOURCE_EXHAUSTED if the disk is full.
  absl::Status Write(uint64_t first, std::span<const uint64_t> checksums) const;
  // Notes that the object is used now, for the order of eviction.
  void Touch() const;

  // The checksum of a block; never 0.
  static uint64_t Checksum(std::span<const std::byte> block);

 private:
  BlockIndex(UniqueFd fd, CachedObject object, uint64_t entries_at)
      : fd_(std::move(fd)), object_(std::move(object)), entries_at_(entries_at) {}

  const UniqueFd fd_;
  const CachedObject object_;
  const uint64_t entries_at_;
};

}  // namespace stagedoor

#endif  // STAGEDOOR_RESOLVER_STORE_BLOCK_INDEX_H_

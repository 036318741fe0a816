#ifndef STAGEDOOR_RESOLVER_STORE_BLOCK_FILE_H_
#define STAGEDOOR_RESOLVER_STORE_BLOCK_FILE_H_

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <unordered_set>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "base/mutex.h"
#include "base/unique_fd.h"
#include "resolver/file/mapped_region.h"
#include "resolver/sparse_bytes.h"
#include "resolver/store/block_index.h"
#include "resolver/store/cached_object.h"
#include "resolver/store/object_store.h"

namespace stagedoor {

// One version of a remote object, mapped, whose blocks are fetched when they are asked for, each
// once however many threads ask for it. The bytes are in a file of the disk cache, or in memory if
// there is no index.
//
// A block counts as present once its bytes were compared with its checksum in this process, or
// fetched by it. If blocks are asked for in the order of the file, as when a whole layer is read,
// more and more of them are fetched at once, up to 1 MiB.
class BlockFile final : public SparseBytes {
 public:
  // Fetches ranges of the object (ObjectStore::Fetch).
  using Fetcher = std::function<absl::Status(RequestContext&, std::span<const ByteRange>,
                                             const ObjectStore::Sink&)>;
  // Called with a number of bytes before they are fetched; an error refuses them.
  using Reserve = std::function<absl::Status(uint64_t bytes)>;
  // Called afterwards with that number, and how many of them have arrived.
  using Settle = std::function<void(uint64_t bytes, uint64_t arrived)>;
  // Called if the disk is full. Whether there is more room now.
  using MakeRoom = std::function<bool(uint64_t bytes)>;
  struct Counters {
    std::atomic<uint64_t> fetched_blocks{0};
    std::atomic<uint64_t> found_blocks{0};    // already in the cache file
    std::atomic<uint64_t> damaged_blocks{0};  // in the cache file, with another checksum
  };
  struct Parts {
    CachedObject object;
    UniqueFd data{-1};                  // open for reading and writing
    std::unique_ptr<BlockIndex> index;  // null if the object is kept in memory only
    bool sync = false;                  // whether blocks reach the disk before the index names them
    Fetcher fetch;
    Reserve reserve;
    Settle settle;
    MakeRoom make_room;
    Counters* counters = nullptr;  // must outlive the file
  };

  // Maps an object that is not empty. RESOURCE_EXHAUSTED if it cannot be mapped.
  static absl::StatusOr<std::shared_ptr<BlockFile>> Create(Parts parts);

  const CachedObject& object() const { return parts_.object; }
  const BlockIndex* index() const { return parts_.index.get(); }
  // The bytes that are present.
  uint64_t present_bytes() const { return present_bytes_.load(std::memory_order_relaxed); }

  std::span<const std::byte> bytes() const override { return region_->bytes(); }
  bool Has(ByteRange range) const override;
  // UNAVAILABLE and RESOURCE_EXHAUSTED end the request (FailIfOutage).
  absl::Status Ensure(RequestContext& context, std::span<const ByteRange> ranges) const override;
  absl::Status Check() const override;
  // Keeps the first bytes of the object, which somebody has fetched already.
  absl::Status PutHead(std::string_view head) const;

 private:
  // Blocks from `begin` up to `end`, without the latter.
  struct Run {
    uint64_t begin;
    uint64_t end;
  };
  class Receiver;

  BlockFile(Parts parts, std::shared_ptr<const MappedRegion> region);

  bool IsPresent(uint64_t block) const {
    return present_[block / 64].load(std::memory_order_acquire) >> (block % 64) & 1;
  }
  void MarkPresent(uint64_t block) const;
  std::span<const std::byte> BlockBytes(uint64_t block) const {
    return region_->bytes().subspan(block * kBlockBytes, parts_.object.block_size(block));
  }
  // The first of the missing blocks.
  std::vector<Run> MissingRuns(std::span<const ByteRange> ranges) const;
  // Claims the missing blocks of `runs` that nobody fetches, and some behind them if the object is
  // read in order. Sets `others` if others fetch some of them.
  std::vector<Run> Claim(const std::vector<Run>& runs, bool* others) const;
  // Claims one block, and adds it to the runs. False if it is present, or if others fetch it.
  bool ClaimBlock(uint64_t block, std::vector<Run>* mine, bool* others) const
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_);
  void Unclaim(const std::vector<Run>& runs) const;
  // Waits a while for blocks that others fetch.
  absl::Status AwaitOthers(RequestContext& context, const std::vector<Run>& missing) const;
  // Finds blocks in the cache file, and fetches the others.
  absl::Status Load(RequestContext& context, const std::vector<Run>& runs) const;
  // Marks the blocks that the cache file has, and returns the others.
  std::vector<Run> FindOnDisk(const std::vector<Run>& runs) const;
  absl::Status FetchRuns(RequestContext& context, const std::vector<Run>& runs) const;
  // Receives the ranges of `receiver` from `fetch`, and makes the blocks that are complete known.
  absl::Status Receive(Receiver& receiver, const std::function<absl::Status()>& fetch) const;
  // Calls `write`, and again if the disk was full and room for so many bytes could be made.
  absl::Status WriteMakingRoom(uint64_t bytes, const std::function<absl::Status()>& write) const;
  // Makes blocks whose bytes were written known to the index, and marks them.
  absl::Status Publish(const std::vector<Run>& written) const;

  const Parts parts_;
  const std::shared_ptr<const MappedRegion> region_;
  const std::unique_ptr<std::atomic<uint64_t>[]> present_;  // one bit for each block
  mutable std::atomic<uint64_t> present_bytes_{0};

  mutable Mutex mu_;
  mutable CondVar landed_;
  mutable std::unordered_set<uint64_t> claimed_ ABSL_GUARDED_BY(mu_);
  // Reading in order: the block after the last one that was claimed, and how many more to claim.
  mutable uint64_t next_ ABSL_GUARDED_BY(mu_) = 0;
  mutable uint64_t ahead_ ABSL_GUARDED_BY(mu_) = 0;
};

}  // namespace stagedoor

#endif  // STAGEDOOR_RESOLVER_STORE_BLOCK_FILE_H_

#ifndef STAGEDOOR_RESOLVER_STORE_BLOCK_CACHE_H_
#define STAGEDOOR_RESOLVER_STORE_BLOCK_CACHE_H_

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "base/mutex.h"
#include "base/recency_list.h"
#include "resolver/store/block_file.h"
#include "resolver/store/cache_directory.h"
#include "resolver/store/cached_object.h"

namespace stagedoor {

struct BlockCacheOptions {
  // Where objects are kept. If empty, they are kept in memory, and lost with the process.
  std::string directory;
  // The budget for the blocks of all objects. Processes that share a directory should have the
  // same; each looks now and then at what the others have added.
  uint64_t max_bytes = uint64_t{10} << 30;
  // Whether blocks are written to the disk before the index names them. Without it, a crash of the
  // machine may leave blocks that have to be fetched again.
  bool sync = false;
  // How many objects that nobody uses stay open.
  size_t max_idle_files = 256;
};

struct BlockCacheStats {
  uint64_t bytes = 0;  // in the directory or in memory, as far as this process knows
  uint64_t max_bytes = 0;
  uint64_t fetched_blocks = 0;
  uint64_t found_blocks = 0;
  uint64_t damaged_blocks = 0;
  uint64_t evictions = 0;
  uint64_t opens = 0;       // of objects
  uint64_t open_files = 0;  // objects that are open now
};

// The objects of remote stores, as far as they were fetched. Shared by all stores of a process, and
// by all processes that use the same directory. Above the budget, objects that nobody uses are
// evicted, least recently used first; if that does not suffice, blocks are refused. Thread-safe.
class BlockCache {
 public:
  // Errors: those of CacheDirectory::Create.
  static absl::StatusOr<std::unique_ptr<BlockCache>> Create(BlockCacheOptions options);
  // Must outlive its files.
  ~BlockCache();
  BlockCache(const BlockCache&) = delete;
  BlockCache& operator=(const BlockCache&) = delete;

  // The file of an object that is not empty; `fetch` serves it from then on. RESOURCE_EXHAUSTED if
  // the disk, a budget or the table of descriptors is full; UNAVAILABLE if the disk fails.
  absl::StatusOr<std::shared_ptr<const BlockFile>> Open(const CachedObject& object,
                                                        const BlockFile::Fetcher& fetch);

  // Sets what is called, now and then, if the budget is exhausted by objects in use: it should
  // release those that are merely kept for later. May be null.
  void SetRelief(std::function<void()> relief);

  // Closes the objects that nobody uses. Those that are kept in memory are lost.
  void CloseUnused();

  // Null if objects are kept in memory.
  const CacheDirectory* directory() const { return directory_ ? &*directory_ : nullptr; }
  BlockCacheStats Stats() const;

 private:
  explicit BlockCache(BlockCacheOptions options, std::optional<CacheDirectory> directory,
                      uint64_t used);

  using File = std::shared_ptr<BlockFile>;
  absl::StatusOr<File> Make(const CachedObject& object, const BlockFile::Fetcher& fetch);
  absl::StatusOr<BlockFile::Parts> OpenParts(const CachedObject& object);
  absl::Status Reserve(uint64_t bytes);
  void Settle(uint64_t bytes, uint64_t arrived);
  // The bytes in the cache, and those that are being fetched.
  uint64_t used() const { return held_.load() + in_flight_.load(); }
  // Evicts what nobody uses until at most `target` bytes are held, if that is possible. Whether any
  // was evicted. Does nothing for a while after a call that evicted nothing.
  bool EvictTo(uint64_t target) ABSL_EXCLUSIVE_LOCKS_REQUIRED(evicting_);
  // Makes room for what is in flight, if the budget is exceeded.
  void MakeRoom();
  // Calls the function of SetRelief, unless that was done a moment ago. Whether it was called.
  bool Relieve();
  // Evicts because the disk is full, whatever the budget.
  bool MakeRoomOnDisk(uint64_t bytes);
  // Closes the least recently used objects that nobody uses until at most `most` of those that
  // nobody uses remain and, in memory, `bytes` are freed.
  void CloseIdle(size_t most, uint64_t bytes) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_);

  const BlockCacheOptions options_;
  const std::optional<CacheDirectory> directory_;
  BlockFile::Counters counters_;
  std::atomic<uint64_t> evictions_{0};
  std::atomic<uint64_t> opens_{0};
  std::atomic<uint64_t> held_;
  std::atomic<uint64_t> in_flight_{0};
  std::atomic<uint64_t> unlisted_{0};  // bytes that arrived since the directory was listed

  Mutex evicting_;
  std::chrono::steady_clock::time_point futile_until_ ABSL_GUARDED_BY(evicting_){};
  Mutex relief_mu_;
  std::function<void()> relief_ ABSL_GUARDED_BY(relief_mu_);
  std::chrono::steady_clock::time_point relief_again_ ABSL_GUARDED_BY(relief_mu_){};

  mutable Mutex mu_;
  RecencyList<std::string, File> files_ ABSL_GUARDED_BY(mu_);  // the open ones
};

}  // namespace stagedoor

#endif  // STAGEDOOR_RESOLVER_STORE_BLOCK_CACHE_H_

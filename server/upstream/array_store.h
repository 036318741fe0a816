#ifndef STAGEDOOR_SERVER_UPSTREAM_ARRAY_STORE_H_
#define STAGEDOOR_SERVER_UPSTREAM_ARRAY_STORE_H_

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/memory_pool.h"
#include "base/mutex.h"
#include "base/recency_list.h"
#include "base/reservation.h"

namespace stagedoor::server {

// The arrays of replies by their digests, so that upstream need not send them again in replies to
// other requests. An array is given only to calls whose own reply names it: see ArrayFiller.
//
// It also remembers which arrays came in the last reply of each kind (ReplyKind), because a request
// is to name only those that are expected in its reply. Evicts the least recently used arrays and
// kinds. Thread-safe.
class ArrayStore {
 public:
  // The bytes of an array, which count until nobody uses them.
  struct KeptArray {
    std::string bytes;
    Reservation reserved;
  };
  using Array = std::shared_ptr<const KeptArray>;
  using Arrays = std::unordered_map<std::string, Array>;  // by digest

  // The most arrays that a request names, 34 bytes each.
  static constexpr size_t kMaxExpected = 20000;
  // The most digests that are remembered, for all kinds together.
  static constexpr size_t kMaxDigests = 100000;

  // The bytes are counted in `pool`, which outlives the arrays.
  ArrayStore(MemoryPool& pool, size_t max_bytes) : pool_(pool), max_bytes_(max_bytes) {}
  // Called with the digests that the last two replies of a kind had in common, when these are
  // others than before: such arrays will come again. To be set before the store is used.
  using Save = std::function<void(const std::string& kind, std::vector<std::string> digests)>;
  void SetSave(Save save) { save_ = std::move(save); }
  ArrayStore(const ArrayStore&) = delete;
  ArrayStore& operator=(const ArrayStore&) = delete;

  // Arrays of the last reply of a kind, as far as they are kept. The caller holds them, so that
  // eviction cannot take them away.
  Arrays Expect(const std::string& kind);
  void Remember(const std::string& kind, std::vector<std::string> digests);
  // Whether there was a reply of the kind, or arrays of it were restored.
  bool Knows(const std::string& kind) const;
  // Adds what was saved of a kind, unless there was a reply of it meanwhile.
  void Restore(const std::string& kind, std::vector<std::pair<std::string, std::string>> arrays);
  // The arrays of these digests, as far as they are kept.
  Arrays Find(const std::vector<std::string>& digests) const;

  // Keeps an array that has arrived.
  void Keep(const std::string& digest, std::string bytes);
  // To be called when an array was used in place of bytes from upstream.
  void CountUse() { uses_.fetch_add(1, std::memory_order_relaxed); }

  struct Dropped {
    uint64_t entries = 0;
    uint64_t bytes = 0;
  };
  Dropped DropAll();

  MemoryPool& pool() { return pool_; }
  size_t size() const;
  size_t bytes() const;
  size_t max_bytes() const { return max_bytes_; }
  // The size up to which an array is kept: one must not evict most others.
  size_t max_array_bytes() const { return max_bytes_ / 4; }
  uint64_t uses() const { return uses_.load(std::memory_order_relaxed); }
  uint64_t evictions() const { return evictions_.load(std::memory_order_relaxed); }

 private:
  using List = RecencyList<std::string, Array>;
  using Digests = std::vector<std::string>;
  struct Kind {
    Digests last;        // of the last reply
    uint64_t saved = 0;  // what was saved: see HashOf
  };

  static uint64_t HashOf(const Digests& digests);
  // Replaces what is known of a kind, and returns what was.
  Kind Replace(const std::string& kind, Kind now) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_);

  MemoryPool& pool_;
  const size_t max_bytes_;
  Save save_;
  std::atomic<uint64_t> uses_{0};
  std::atomic<uint64_t> evictions_{0};
  mutable Mutex mu_;
  List arrays_ ABSL_GUARDED_BY(mu_);
  size_t bytes_ ABSL_GUARDED_BY(mu_) = 0;
  RecencyList<std::string, Kind> kinds_ ABSL_GUARDED_BY(mu_);
  size_t digests_ ABSL_GUARDED_BY(mu_) = 0;  // of all kinds
};

}  // namespace stagedoor::server

#endif  // STAGEDOOR_SERVER_UPSTREAM_ARRAY_STORE_H_

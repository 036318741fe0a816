#ifndef STAGEDOOR_BASE_MEMORY_POOL_H_
#define STAGEDOOR_BASE_MEMORY_POOL_H_

#include <atomic>
#include <cstddef>
#include <limits>
#include <string_view>

#include "absl/status/status.h"

namespace stagedoor {

// A pool that has no more bytes than this in use is small: it may take all of its outer pool.
inline constexpr size_t kSmallPoolBytes = size_t{256} << 10;

// Bytes of memory under one name and one limit, which many holders share. Each of them keeps a
// Reservation (base/reservation.h). The pool only counts; two policies decide about its limit:
//  - Refuse: Reserve fails if the bytes do not fit.
//  - Evict: bytes are added regardless, and the owner of the pool looks at over() from time to
//    time. It then drops what can be made again, or begins nothing new.
// docs/memory.md lists the pools and their policies. Comparable to a node of Impala's MemTracker.
//
// A pool may be part of an outer one, which has no outer pool itself: bytes are then taken from
// both. Pools that are not small leave a sixteenth of the outer pool to small ones.
//
// Thread-safe, without locks. Must outlive its reservations and the pools inside it.
class MemoryPool {
 public:
  static constexpr size_t kNoLimit = std::numeric_limits<size_t>::max();

  // `name` must outlive the pool; `outer` may be null.
  explicit MemoryPool(std::string_view name, size_t limit = kNoLimit, MemoryPool* outer = nullptr)
      : name_(name), limit_(limit), outer_(outer) {}
  MemoryPool(const MemoryPool&) = delete;
  MemoryPool& operator=(const MemoryPool&) = delete;
  // Returns what is still in use to the outer pool.
  virtual ~MemoryPool() {
    if (outer_ != nullptr) outer_->Release(used());
  }

  std::string_view name() const { return name_; }
  size_t limit() const { return limit_; }
  size_t used() const { return used_.load(std::memory_order_relaxed); }
  bool over() const { return used() > limit_; }

  // Takes `bytes` before they are allocated, without waiting. RESOURCE_EXHAUSTED if they do not
  // fit, in which case nothing is taken; `what`, a noun phrase, begins the message. The error
  // carries a retry delay (base/status.h) unless the bytes can never fit.
  absl::Status Reserve(size_t bytes, std::string_view what);

  // Returns bytes that were taken. A Reservation does that by itself.
  void Release(size_t bytes) {
    used_.fetch_sub(bytes, std::memory_order_relaxed);
    if (outer_ != nullptr) outer_->used_.fetch_sub(bytes, std::memory_order_relaxed);
  }

 protected:
  struct Refusal {
    const MemoryPool& pool;  // the one that is full: this one or the outer one
    size_t bytes;
    std::string_view what;
    size_t used;
    size_t most;  // the part of the limit that this pool may take
  };
  // The error that Reserve returns. Called only for refusals.
  virtual absl::Status Refuse(const Refusal& refusal);

 private:
  friend class Reservation;

  void Add(size_t bytes) {
    used_.fetch_add(bytes, std::memory_order_relaxed);
    if (outer_ != nullptr) outer_->used_.fetch_add(bytes, std::memory_order_relaxed);
  }
  // Adds `bytes` if at most `most` are then in use. Sets `*used` to what was in use before.
  bool Take(size_t bytes, size_t most, size_t* used);

  const std::string_view name_;
  const size_t limit_;
  MemoryPool* const outer_;
  std::atomic<size_t> used_{0};
};

}  // namespace stagedoor

#endif  // STAGEDOOR_BASE_MEMORY_POOL_H_

#ifndef STAGEDOOR_BASE_MEMORY_ACCOUNT_H_
#define STAGEDOOR_BASE_MEMORY_ACCOUNT_H_

#include <atomic>
#include <cstddef>
#include <limits>

namespace stagedoor {

// What a heap block takes beside what was asked for: its header and rounding, on average.
inline constexpr size_t kHeapBlockBytes = 16;
// What a node of a tree or hash table takes beside its value, its heap block included.
inline constexpr size_t kNodeBytes = 64;

// Counts the bytes that long-lived objects hold, each charged once however many share it. A ledger,
// not a gate: who makes such objects asks over() at times and stops, or makes room.
//
// Thread-safe; outlives everything charged to it.
class MemoryAccount {
 public:
  explicit MemoryAccount(size_t limit = std::numeric_limits<size_t>::max()) : limit_(limit) {}
  MemoryAccount(const MemoryAccount&) = delete;
  MemoryAccount& operator=(const MemoryAccount&) = delete;

  size_t limit() const { return limit_; }
  size_t used() const { return used_.load(std::memory_order_relaxed); }
  bool over() const { return used() > limit_; }

 private:
  friend class MemoryCharge;
  const size_t limit_;
  std::atomic<size_t> used_{0};
};

// What one object is charged with: grows as the object does and ends with it. Thread-safe.
class MemoryCharge {
 public:
  // `account` may be null: nobody counts.
  explicit MemoryCharge(MemoryAccount* account) : account_(account) {}
  MemoryCharge(const MemoryCharge&) = delete;
  MemoryCharge& operator=(const MemoryCharge&) = delete;
  ~MemoryCharge() { Shrink(bytes()); }

  MemoryAccount* account() const { return account_; }
  size_t bytes() const { return bytes_.load(std::memory_order_relaxed); }
  // Whether the account is above its limit: what need not be kept should not be.
  bool over() const { return account_ != nullptr && account_->over(); }

  void Grow(size_t bytes) {
    if (account_ == nullptr || bytes == 0) return;
    bytes_.fetch_add(bytes, std::memory_order_relaxed);
    account_->used_.fetch_add(bytes, std::memory_order_relaxed);
  }
  // By no more than it has grown.
  void Shrink(size_t bytes) {
    if (account_ == nullptr || bytes == 0) return;
    bytes_.fetch_sub(bytes, std::memory_order_relaxed);
    account_->used_.fetch_sub(bytes, std::memory_order_relaxed);
  }
  // Makes it `bytes`; of one that nobody grows or shrinks.
  void Set(size_t bytes) {
    if (account_ == nullptr) return;
    account_->used_.fetch_add(bytes - bytes_.exchange(bytes, std::memory_order_relaxed),
                              std::memory_order_relaxed);
  }

 private:
  MemoryAccount* const account_;
  std::atomic<size_t> bytes_{0};
};

}  // namespace stagedoor

#endif  // STAGEDOOR_BASE_MEMORY_ACCOUNT_H_

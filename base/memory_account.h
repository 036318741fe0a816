#ifndef STAGEDOOR_BASE_MEMORY_ACCOUNT_H_
#define STAGEDOOR_BASE_MEMORY_ACCOUNT_H_

#include <atomic>
#include <cstddef>
#include <limits>

namespace stagedoor {

// Average overhead of a heap block, for its header and for rounding, in bytes.
inline constexpr size_t kHeapBlockBytes = 16;
// Overhead of a node of a tree or hash table beside its value, including its heap block, in bytes.
inline constexpr size_t kNodeBytes = 64;

// Counts the bytes that long-lived objects hold, each charged once however many owners share it. It
// only counts: code that makes such objects checks over() from time to time and then stops, or
// frees memory.
//
// Thread-safe. Must outlive everything charged to it.
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

// The bytes that one object is charged with. Grows with the object and ends with it. Thread-safe.
class MemoryCharge {
 public:
  // `account` may be null, in which case nothing is counted.
  explicit MemoryCharge(MemoryAccount* account) : account_(account) {}
  MemoryCharge(const MemoryCharge&) = delete;
  MemoryCharge& operator=(const MemoryCharge&) = delete;
  ~MemoryCharge() { Shrink(bytes()); }

  MemoryAccount* account() const { return account_; }
  size_t bytes() const { return bytes_.load(std::memory_order_relaxed); }
  // Whether the account is above its limit, in which case optional data should not be kept.
  bool over() const { return account_ != nullptr && account_->over(); }

  void Grow(size_t bytes) {
    if (account_ == nullptr || bytes == 0) return;
    bytes_.fetch_add(bytes, std::memory_order_relaxed);
    account_->used_.fetch_add(bytes, std::memory_order_relaxed);
  }
  // `bytes` must not exceed what the charge has grown by.
  void Shrink(size_t bytes) {
    if (account_ == nullptr || bytes == 0) return;
    bytes_.fetch_sub(bytes, std::memory_order_relaxed);
    account_->used_.fetch_sub(bytes, std::memory_order_relaxed);
  }
  // Sets the charge to `bytes`. For charges that use neither Grow nor Shrink.
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

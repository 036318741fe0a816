#ifndef STAGEDOOR_BASE_RESERVATION_H_
#define STAGEDOOR_BASE_RESERVATION_H_

#include <atomic>
#include <cstddef>
#include <string_view>

#include "absl/status/status.h"
#include "base/memory_pool.h"

namespace stagedoor {

// Bytes that one holder has in a pool, returned to it on destruction: the scratch memory of a step
// of a request, an object that a cache keeps, an array that was expanded. Move-only. Comparable to
// DuckDB's TempBufferPoolReservation.
//
// Grow asks the pool and may be refused; Add counts what exists in any case. A holder uses one of
// them, according to the policy of its pool (docs/memory.md). For the memory of a request the pool
// is its RequestContext, and a refusal ends the request.
//
// Grow, Release and moves are for one thread at a time; Add, Shrink, Set and the queries are
// thread-safe, so that readers of a shared object may add to it. The pool must outlive it.
class Reservation {
 public:
  // Without a pool nothing is counted, nor refused. `pool` may be null.
  Reservation() = default;
  explicit Reservation(MemoryPool* pool) : pool_(pool) {}
  explicit Reservation(MemoryPool& pool) : pool_(&pool) {}
  Reservation(Reservation&& other) noexcept : pool_(other.pool_), bytes_(other.Take()) {}
  // Returns the bytes reserved so far to their pool first.
  Reservation& operator=(Reservation&& other) noexcept {
    if (this == &other) return *this;
    Release();
    pool_ = other.pool_;
    bytes_.store(other.Take(), std::memory_order_relaxed);
    return *this;
  }
  ~Reservation() { Release(); }

  MemoryPool* pool() const { return pool_; }
  size_t bytes() const { return bytes_.load(std::memory_order_relaxed); }
  // Whether the pool is above its limit, in which case optional data should not be kept.
  bool over() const { return pool_ != nullptr && pool_->over(); }

  // Errors: those of MemoryPool::Reserve, in which case nothing is added.
  absl::Status Grow(size_t bytes, std::string_view what) {
    if (pool_ == nullptr) return absl::OkStatus();
    absl::Status status = pool_->Reserve(bytes, what);
    if (status.ok()) bytes_.store(this->bytes() + bytes, std::memory_order_relaxed);
    return status;
  }

  void Add(size_t bytes) {
    if (pool_ == nullptr || bytes == 0) return;
    bytes_.fetch_add(bytes, std::memory_order_relaxed);
    pool_->Add(bytes);
  }
  // Sets what is counted to `bytes`. For holders that use neither Add nor Shrink.
  void Set(size_t bytes) {
    if (pool_ == nullptr) return;
    pool_->Add(bytes - bytes_.exchange(bytes, std::memory_order_relaxed));
  }

  // `bytes` must not exceed bytes().
  void Shrink(size_t bytes) {
    if (pool_ == nullptr || bytes == 0) return;
    bytes_.fetch_sub(bytes, std::memory_order_relaxed);
    pool_->Release(bytes);
  }
  // Returns all bytes. The reservation may then grow again.
  void Release() {
    const size_t all = Take();
    if (all != 0) pool_->Release(all);
  }

 private:
  size_t Take() {
    const size_t all = bytes();
    bytes_.store(0, std::memory_order_relaxed);
    return all;
  }

  MemoryPool* pool_ = nullptr;
  std::atomic<size_t> bytes_{0};
};

}  // namespace stagedoor

#endif  // STAGEDOOR_BASE_RESERVATION_H_

#ifndef STAGEDOOR_BASE_PAGE_ARENA_H_
#define STAGEDOOR_BASE_PAGE_ARENA_H_

#include <cstddef>
#include <memory_resource>
#include <vector>

#include "base/memory_pool.h"
#include "base/mutex.h"
#include "base/reservation.h"

namespace stagedoor {

// Memory for objects that are needed for one phase of work and end together, in pages of its own,
// which the system has back as soon as the arena is cleared. Freed between objects that live on,
// such memory would stay with the heap. Comparable to std::pmr::monotonic_buffer_resource.
//
// A bump allocator: deallocate() does nothing, and destructors are for its users to run.
// Thread-safe, but nobody may use it while it is cleared.
class PageArena final : public std::pmr::memory_resource {
 public:
  // `pool`, which may be null, is charged with the pages in use, and outlives the arena.
  explicit PageArena(MemoryPool* pool) : charge_(pool) {}
  PageArena(const PageArena&) = delete;
  PageArena& operator=(const PageArena&) = delete;
  ~PageArena() override { Clear(); }

  // Ends all memory that was allocated.
  void Clear();

 private:
  // Pages are taken from the system in blocks of this size, but only those in use are resident.
  static constexpr size_t kBlock = size_t{1} << 20;
  static constexpr size_t kPage = 4096;

  struct Block {
    std::byte* begin;
    size_t size;
  };

  void* do_allocate(size_t bytes, size_t alignment) override;
  void do_deallocate(void*, size_t, size_t) override {}
  bool do_is_equal(const std::pmr::memory_resource& other) const noexcept override {
    return this == &other;
  }
  void AddBlock(size_t bytes) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_);

  Mutex mu_;
  std::vector<Block> blocks_ ABSL_GUARDED_BY(mu_);
  size_t used_ ABSL_GUARDED_BY(mu_) = 0;     // bytes of the last block
  size_t charged_ ABSL_GUARDED_BY(mu_) = 0;  // bytes of the last block, whole pages
  Reservation charge_;
};

}  // namespace stagedoor

#endif  // STAGEDOOR_BASE_PAGE_ARENA_H_

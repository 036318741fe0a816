#ifndef STAGEDOOR_SCENE_PATHS_INTERN_ARENA_H_
#define STAGEDOOR_SCENE_PATHS_INTERN_ARENA_H_

#include <atomic>
#include <cstddef>
#include <new>

namespace stagedoor {

// A bump allocator for interned data, which is never freed. Only total_bytes() is thread-safe.
class InternArena {
 public:
  void* Allocate(size_t bytes) {
    bytes = (bytes + 7) & ~size_t{7};
    if (bytes > left_) Grow(bytes);
    void* result = next_;
    next_ += bytes;
    left_ -= bytes;
    return result;
  }
  size_t total_bytes() const { return total_.load(std::memory_order_relaxed); }

 private:
  static constexpr size_t kFirst = 2 << 10;
  static constexpr size_t kMost = 64 << 10;
  void Grow(size_t bytes) {
    const size_t total = total_bytes();
    const size_t block = total < kFirst ? kFirst : total < kMost ? total : kMost;
    const size_t size = bytes > block ? bytes : block;
    next_ = static_cast<char*>(::operator new(size));
    left_ = size;
    total_.store(total + size, std::memory_order_relaxed);
  }

  char* next_ = nullptr;
  size_t left_ = 0;
  std::atomic<size_t> total_ = 0;
};

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_PATHS_INTERN_ARENA_H_

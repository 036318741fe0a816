// InternShard: one shard of an append-only intern table.
//
// Open addressing over pointers to entries that live in an arena and are never moved or freed.
// The caller's key knows how to compare itself with an entry and how to build one.
#ifndef STAGEDOOR_SCENE_PATHS_INTERN_SHARD_H_
#define STAGEDOOR_SCENE_PATHS_INTERN_SHARD_H_

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <new>
#include <shared_mutex>
#include <vector>

namespace stagedoor {

// A bump allocator whose memory lives as long as the process.
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
  size_t total_bytes() const { return total_; }

 private:
  static constexpr size_t kBlock = 64 << 10;
  void Grow(size_t bytes) {
    const size_t size = bytes > kBlock ? bytes : kBlock;
    next_ = static_cast<char*>(::operator new(size));
    left_ = size;
    total_ += size;
  }

  char* next_ = nullptr;
  size_t left_ = 0;
  size_t total_ = 0;
};

// Thread-safe. Entry must have a member `hash` convertible to uint64_t.
template <typename Entry>
class InternShard {
 public:
  template <typename Equal>
  const Entry* Find(uint64_t hash, Equal equal) const {
    std::shared_lock lock(mutex_);
    return slots_.empty() ? nullptr : slots_[Probe(hash, equal)];
  }

  // Finds the entry or makes it with make(arena).
  template <typename Equal, typename Make>
  const Entry* FindOrMake(uint64_t hash, Equal equal, Make make) {
    if (const Entry* found = Find(hash, equal)) return found;
    std::unique_lock lock(mutex_);
    if ((count_ + 1) * 4 > slots_.size() * 3) Rehash();
    const size_t slot = Probe(hash, equal);
    if (!slots_[slot]) {
      slots_[slot] = make(arena_);
      ++count_;
    }
    return slots_[slot];
  }

  size_t count() const {
    std::shared_lock lock(mutex_);
    return count_;
  }
  size_t bytes() const {
    std::shared_lock lock(mutex_);
    return arena_.total_bytes() + slots_.capacity() * sizeof(void*);
  }

 private:
  template <typename Equal>
  size_t Probe(uint64_t hash, Equal equal) const {
    const size_t mask = slots_.size() - 1;
    size_t i = hash & mask;
    while (slots_[i] && !(slots_[i]->hash == hash && equal(*slots_[i]))) i = (i + 1) & mask;
    return i;
  }

  void Rehash() {
    std::vector<const Entry*> old(slots_.empty() ? 64 : slots_.size() * 2);
    old.swap(slots_);
    for (const Entry* e : old) {
      if (e) slots_[Probe(e->hash, [](const Entry&) { return false; })] = e;
    }
  }

  mutable std::shared_mutex mutex_;
  std::vector<const Entry*> slots_;  // guarded by mutex_, as all below
  size_t count_ = 0;
  InternArena arena_;
};

// Final mixer of a 64-bit hash.
inline uint64_t MixHash(uint64_t h) {
  h ^= h >> 33;
  h *= 0xff51afd7ed558ccdULL;
  h ^= h >> 33;
  h *= 0xc4ceb9fe1a85ec53ULL;
  return h ^ (h >> 33);
}

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_PATHS_INTERN_SHARD_H_

// InternShard: one shard of an append-only intern table.
//
// Open addressing over pointers to entries that live in an arena and are never moved or freed.
// The caller's key knows how to compare itself with an entry and how to build one. Look-ups take no
// lock; a slot tells most entries apart without a look at them.
#ifndef STAGEDOOR_SCENE_PATHS_INTERN_SHARD_H_
#define STAGEDOOR_SCENE_PATHS_INTERN_SHARD_H_

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <new>
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
  static constexpr size_t kFirst = 2 << 10;
  static constexpr size_t kMost = 64 << 10;
  void Grow(size_t bytes) {
    const size_t block = total_ < kFirst ? kFirst : total_ < kMost ? total_ : kMost;
    const size_t size = bytes > block ? bytes : block;
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
    const Table* table = current_.load(std::memory_order_acquire);
    return table ? EntryOf(table->slots[Probe(*table, hash, equal)]) : nullptr;
  }

  // Finds the entry or makes it with make(arena).
  template <typename Equal, typename Make>
  const Entry* FindOrMake(uint64_t hash, Equal equal, Make make) {
    if (const Entry* found = Find(hash, equal)) return found;
    std::lock_guard lock(mutex_);
    Table* table = tables_.empty() ? nullptr : tables_.back().get();
    if (!table || (count_ + 1) * 4 > (table->mask + 1) * 3) table = Grow();
    const size_t slot = Probe(*table, hash, equal);
    if (const Entry* found = EntryOf(table->slots[slot])) return found;
    const Entry* made = make(arena_);
    table->slots[slot].store(SlotOf(made, hash), std::memory_order_release);
    ++count_;
    return made;
  }

  size_t count() const {
    std::lock_guard lock(mutex_);
    return count_;
  }
  size_t bytes() const {
    std::lock_guard lock(mutex_);
    size_t bytes = arena_.total_bytes();
    for (const auto& table : tables_) bytes += (table->mask + 1) * sizeof(Slot);
    return bytes;
  }

 private:
  // The entry's address, which fits into the lower 48 bits, and above it the upper bits of its
  // hash.
  using Slot = std::atomic<uint64_t>;
  static constexpr int kAddressBits = 48;
  static constexpr uint64_t kAddress = (uint64_t{1} << kAddressBits) - 1;

  struct Table {
    explicit Table(size_t size) : mask(size - 1), slots(new Slot[size]()) {}
    const size_t mask;
    const std::unique_ptr<Slot[]> slots;
  };

  static uint64_t TagOf(uint64_t hash) {
    return (hash << 6) & ~kAddress;
  }  // below the shard's bits
  static uint64_t SlotOf(const Entry* entry, uint64_t hash) {
    return reinterpret_cast<uint64_t>(entry) | TagOf(hash);
  }
  static const Entry* EntryOf(const Slot& slot) {
    return reinterpret_cast<const Entry*>(slot.load(std::memory_order_acquire) & kAddress);
  }

  // The slot of the entry, or the empty one where it would be.
  template <typename Equal>
  static size_t Probe(const Table& table, uint64_t hash, Equal equal) {
    for (size_t i = hash & table.mask;; i = (i + 1) & table.mask) {
      const uint64_t slot = table.slots[i].load(std::memory_order_acquire);
      if (slot == 0) return i;
      if ((slot & ~kAddress) != TagOf(hash)) continue;
      const Entry& entry = *reinterpret_cast<const Entry*>(slot & kAddress);
      if (entry.hash == hash && equal(entry)) return i;
    }
  }

  // The table before stays: somebody may be looking at it.
  Table* Grow() {
    const Table* old = tables_.empty() ? nullptr : tables_.back().get();
    auto table = std::make_unique<Table>(old ? (old->mask + 1) * 4 : 64);
    for (size_t i = 0; old && i <= old->mask; ++i) {
      if (const Entry* entry = EntryOf(old->slots[i])) {
        const size_t slot = Probe(*table, entry->hash, [](const Entry&) { return false; });
        table->slots[slot].store(SlotOf(entry, entry->hash), std::memory_order_relaxed);
      }
    }
    tables_.push_back(std::move(table));
    current_.store(tables_.back().get(), std::memory_order_release);
    return tables_.back().get();
  }

  std::atomic<const Table*> current_ = nullptr;
  mutable std::mutex mutex_;
  std::vector<std::unique_ptr<Table>> tables_;  // guarded by mutex_, as all below; the last in use
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

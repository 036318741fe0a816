#ifndef STAGEDOOR_SCENE_PATHS_INTERN_SHARD_H_
#define STAGEDOOR_SCENE_PATHS_INTERN_SHARD_H_

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <new>
#include <type_traits>

#include "base/epoch_guard.h"
#include "base/request_scope.h"

namespace stagedoor {

// One shard of an intern table, such as those of Token and Path.
//
// An open-addressing table of pointers to entries, which never move. The caller passes functions
// that compare its key with an entry and that create an entry. Look-ups take no lock, and a tag in
// each slot avoids dereferencing most entries that do not match. Removed entries and outgrown
// tables are freed once no look-up can be using them (base/epoch_guard.h).
//
// Thread-safe. Entry must have a member `hash` convertible to uint64_t. If kRemoves is false,
// nothing is ever removed or freed, so look-ups need no EpochGuard.
template <typename Entry, bool kRemoves>
class InternShard {
 public:
  ~InternShard() { delete current_.load(); }

  // The entry, or null. Valid beyond the caller's EpochGuard only if the entry cannot be removed.
  template <typename Equal>
  const Entry* Find(uint64_t hash, Equal equal) const {
    [[maybe_unused]] const Guard guard;
    const Table* table = current_.load();
    return table ? EntryOf(Probe(*table, hash, equal).held) : nullptr;
  }

  // Finds the entry, or creates it with make(), which runs under the shard's lock and may return
  // null to create none.
  template <typename Equal, typename Make>
  const Entry* FindOrMake(uint64_t hash, Equal equal, Make make) {
    if (const Entry* found = Find(hash, equal)) return found;
    std::lock_guard lock(mutex_);
    const Table* table = current_.load();
    if (!table || (used_ + 1) * 4 > (table->mask + 1) * 3) table = Rehash();
    const Place place = Probe(*table, hash, equal);
    if (const Entry* found = EntryOf(place.held)) return found;
    const Entry* made = make();
    if (made == nullptr) return nullptr;
    table->slots[place.slot].store(SlotOf(made, hash));
    ++used_;
    ++count_;
    return made;
  }

  // Removes an entry, which must be in the table and have been allocated with new. It is deleted
  // once no look-up can be using it.
  void Remove(const Entry* entry) requires kRemoves {
    const RequestMemoryExemption pause;  // freeing must not fail when memory is short
    std::lock_guard lock(mutex_);
    const Table* table = current_.load();
    size_t i = entry->hash & table->mask;
    while (EntryOf(table->slots[i].load()) != entry) i = (i + 1) & table->mask;
    table->slots[i].store(kRemoved);
    --count_;
    limbo_.push_back({CurrentEpoch(), std::unique_ptr<const Entry>(entry), nullptr});
    if (limbo_.size() >= sweep_at_) Sweep();
    try {
      if (table->mask >= kFewSlots && count_ * 16 < table->mask) Rehash();
    } catch (const std::bad_alloc&) {
      // Keep the large table.
    }
  }

  size_t count() const {
    std::lock_guard lock(mutex_);
    return count_;
  }
  size_t table_bytes() const {
    std::lock_guard lock(mutex_);
    const Table* table = current_.load();
    return table ? (table->mask + 1) * sizeof(Slot) : 0;
  }

 private:
  // The entry's address in the lower 48 bits, and bits of its hash as a tag above it. 0 marks a
  // slot that was never used, kRemoved one whose entry was removed: probing continues past it. A
  // removed slot is not reused before the next rehash, so that two threads cannot insert equal
  // entries.
  using Slot = std::atomic<uint64_t>;
  struct NoGuard {};
  using Guard = std::conditional_t<kRemoves, EpochGuard, NoGuard>;
  static constexpr uint64_t kRemoved = 1;
  static constexpr int kAddressBits = 48;
  static constexpr uint64_t kAddress = (uint64_t{1} << kAddressBits) - 1;
  static constexpr size_t kFewSlots = 64;
  static constexpr size_t kFewInLimbo = 64;

  struct Table {
    explicit Table(size_t size) : mask(size - 1), slots(new Slot[size]()) {}
    const size_t mask;
    const std::unique_ptr<Slot[]> slots;
  };
  struct Place {
    size_t slot;
    uint64_t held;
  };
  // An entry or a table that was removed in an epoch.
  struct Retired {
    uint64_t epoch;
    std::unique_ptr<const Entry> entry;
    std::unique_ptr<const Table> table;
  };

  // The hash bits below those that select the shard, as the tag of a slot.
  static uint64_t TagOf(uint64_t hash) { return (hash << 6) & ~kAddress; }
  static uint64_t SlotOf(const Entry* entry, uint64_t hash) {
    return reinterpret_cast<uint64_t>(entry) | TagOf(hash);
  }
  static const Entry* EntryOf(uint64_t held) {
    return held == kRemoved ? nullptr : reinterpret_cast<const Entry*>(held & kAddress);
  }

  // The entry and its slot, or the empty slot where it would be inserted.
  template <typename Equal>
  static Place Probe(const Table& table, uint64_t hash, Equal equal) {
    for (size_t i = hash & table.mask;; i = (i + 1) & table.mask) {
      const uint64_t held = table.slots[i].load();
      if (held == 0) return {i, held};
      if (held == kRemoved || (held & ~kAddress) != TagOf(hash)) continue;
      const Entry& entry = *EntryOf(held);
      if (entry.hash == hash && equal(entry)) return {i, held};
    }
  }

  // Replaces the table by one with room for all entries and one more, without removed slots and at
  // most half full.
  const Table* Rehash() {
    size_t size = kFewSlots;
    while ((count_ + 1) * 2 > size) size *= 2;
    auto table = std::make_unique<const Table>(size);
    const Table* old = current_.load();
    for (size_t i = 0; old && i <= old->mask; ++i) {
      const Entry* entry = EntryOf(old->slots[i].load());
      if (entry == nullptr) continue;
      const Place place = Probe(*table, entry->hash, [](const Entry&) { return false; });
      table->slots[place.slot].store(SlotOf(entry, entry->hash), std::memory_order_relaxed);
    }
    if (old) limbo_.push_back({0, nullptr, nullptr});  // may throw, so before the swap
    current_.store(table.get());
    used_ = count_;
    if (old) {
      limbo_.back().table.reset(old);
      limbo_.back().epoch = CurrentEpoch();
      if (kRemoves) Sweep();
    }
    return table.release();
  }

  // Frees what no look-up can be using any more.
  void Sweep() {
    const uint64_t oldest = AdvanceEpoch();
    while (!limbo_.empty() && limbo_.front().epoch < oldest) limbo_.pop_front();
    sweep_at_ = 2 * limbo_.size() + kFewInLimbo;
  }

  std::atomic<const Table*> current_ = nullptr;
  mutable std::mutex mutex_;
  size_t count_ = 0;           // guarded by mutex_, like all members below
  size_t used_ = 0;            // removed slots included
  std::deque<Retired> limbo_;  // oldest first
  size_t sweep_at_ = kFewInLimbo;
};

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_PATHS_INTERN_SHARD_H_

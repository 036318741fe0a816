#include "scene/stage/attribute_query_table.h"

#include <algorithm>
#include <atomic>
#include <string>
#include <utility>
#include <vector>

#include "base/heap_costs.h"

namespace stagedoor {
namespace {

constexpr size_t kFirstCapacity = 64;
// The budget while stages exceed theirs: enough for the attributes that a client reads repeatedly.
constexpr size_t kShortBytes = size_t{1} << 20;

}  // namespace

struct AttributeQueryTable::Entry : std::enable_shared_from_this<Entry> {
  Entry(std::string_view text, AttributeQuery added)
      : hash(Reader::Hash(text)),
        path(text),
        query(std::move(added)),
        bytes(sizeof(Entry) - sizeof(query) + query.byte_size() + path.capacity() +
              3 * kHeapBlockBytes) {}

  Pointer Share() const { return Pointer(shared_from_this(), &query); }

  const size_t hash;
  const std::string path;
  const AttributeQuery query;
  const size_t bytes;
};

// An open-addressing hash table. One thread at a time adds entries while any number of threads look
// them up.
class AttributeQueryTable::Generation {
 public:
  // `capacity` is a power of two.
  explicit Generation(size_t capacity)
      : slots_(capacity), bytes_(capacity * (sizeof(Slot) + sizeof(entries_[0]) / 2)) {}

  // A copy of `other` with twice the capacity.
  static std::shared_ptr<Generation> Grown(const Generation& other) {
    auto grown = std::make_shared<Generation>(other.slots_.size() * 2);
    for (const auto& entry : other.entries_) grown->Add(entry);
    return grown;
  }

  void Prefetch(size_t hash) const { __builtin_prefetch(&SlotAt(hash)); }

  const Entry* Find(std::string_view path, size_t hash) const {
    for (size_t at = hash;; ++at) {
      const Slot& slot = SlotAt(at);
      const Entry* entry = slot.entry.load(std::memory_order_acquire);
      if (entry == nullptr) return nullptr;
      if (slot.hash == hash && entry->path == path) return entry;
    }
  }

  bool full() const { return entries_.size() * 2 >= slots_.size(); }
  size_t byte_size() const { return bytes_; }

  // The table must not be full.
  void Add(std::shared_ptr<const Entry> entry) {
    const Entry& added = *entries_.emplace_back(std::move(entry));  // may throw, so it comes first
    size_t at = added.hash;
    while (SlotAt(at).entry.load(std::memory_order_relaxed) != nullptr) ++at;
    Slot& slot = slots_[at & (slots_.size() - 1)];
    slot.hash = added.hash;  // readers look at it only after they have seen the entry
    slot.entry.store(&added, std::memory_order_release);
    bytes_ += added.bytes;
  }

 private:
  struct Slot {
    size_t hash = 0;
    std::atomic<const Entry*> entry{nullptr};
  };

  const Slot& SlotAt(size_t hash) const { return slots_[hash & (slots_.size() - 1)]; }

  std::vector<Slot> slots_;
  std::vector<std::shared_ptr<const Entry>> entries_;
  size_t bytes_;
};

AttributeQueryTable::Reader::Reader(AttributeQueryTable& table) : table_(table) {
  MutexLock lock(table.mu_);
  newer_ = table.newer_;
  older_ = table.older_;
}

void AttributeQueryTable::Reader::Prefetch(size_t hash) const { newer_->Prefetch(hash); }

AttributeQueryTable::Pointer AttributeQueryTable::Reader::Find(std::string_view path,
                                                               size_t hash) const {
  if (const Entry* entry = newer_->Find(path, hash)) return entry->Share();
  const Entry* entry = older_->Find(path, hash);
  return entry == nullptr ? nullptr : table_.Keep(entry->shared_from_this());
}

AttributeQueryTable::AttributeQueryTable(size_t max_bytes, MemoryPool* pool)
    : max_bytes_(max_bytes),
      memory_(pool),
      newer_(std::make_shared<Generation>(kFirstCapacity)),
      older_(std::make_shared<Generation>(1)) {
  memory_.Set(byte_size());
}

AttributeQueryTable::~AttributeQueryTable() = default;

AttributeQueryTable::Pointer AttributeQueryTable::Add(std::string_view path, AttributeQuery query) {
  return Keep(std::make_shared<const Entry>(path, std::move(query)));
}

AttributeQueryTable::Pointer AttributeQueryTable::Keep(std::shared_ptr<const Entry> entry) {
  std::shared_ptr<Generation> dropped;  // destroyed after the lock is released
  MutexLock lock(mu_);
  if (const Entry* there = newer_->Find(entry->path, entry->hash)) return there->Share();
  if (newer_->byte_size() + entry->bytes > MostBytes()) {
    dropped =
        std::exchange(older_, std::exchange(newer_, std::make_shared<Generation>(kFirstCapacity)));
  } else if (newer_->full()) {
    dropped = std::exchange(newer_, Generation::Grown(*newer_));
  }
  newer_->Add(entry);
  memory_.Set(newer_->byte_size() + older_->byte_size());
  return entry->Share();
}

size_t AttributeQueryTable::MostBytes() const {
  return std::min(max_bytes_, memory_.over() ? kShortBytes : max_bytes_) / 2;
}

bool AttributeQueryTable::HasRoom() const {
  // The newer generation is replaced just before it is full.
  const size_t most = 2 * MostBytes();
  return byte_size() < most - most / 8;
}

size_t AttributeQueryTable::byte_size() const {
  MutexLock lock(mu_);
  return newer_->byte_size() + older_->byte_size();
}

}  // namespace stagedoor

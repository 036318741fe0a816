#ifndef STAGEDOOR_BASE_RECENCY_LIST_H_
#define STAGEDOOR_BASE_RECENCY_LIST_H_

#include <cstddef>
#include <functional>
#include <iterator>
#include <list>
#include <unordered_set>
#include <utility>

namespace stagedoor {

// Values by key, in the order of their last use: the index and the order of a cache, which decides
// what counts as a use and when to evict.
//
// Each key is stored once. Iterators stay valid until their entry is removed. Not thread-safe: the
// cache that owns it guards it with its lock.
template <typename Key, typename Value, typename Hash = std::hash<Key>>
class RecencyList {
 public:
  struct Entry {
    Entry(Key the_key, Value the_value) : key(std::move(the_key)), value(std::move(the_value)) {}
    const Key key;
    Value value;
  };
  using List = std::list<Entry>;
  using iterator = typename List::iterator;
  using const_iterator = typename List::const_iterator;

  RecencyList() = default;
  RecencyList(const RecencyList&) = delete;
  RecencyList& operator=(const RecencyList&) = delete;

  size_t size() const { return entries_.size(); }
  bool empty() const { return entries_.empty(); }
  // The entries, the most recently used first.
  iterator begin() { return entries_.begin(); }
  iterator end() { return entries_.end(); }
  const_iterator begin() const { return entries_.begin(); }
  const_iterator end() const { return entries_.end(); }
  // The least recently used entry; there must be one.
  iterator oldest() { return std::prev(entries_.end()); }

  // Returns the entry of a key, or end(). Not a use.
  iterator Find(const Key& key) {
    const auto it = index_.find(key);
    return it == index_.end() ? entries_.end() : *it;
  }
  const_iterator Find(const Key& key) const {
    const auto it = index_.find(key);
    return it == index_.end() ? entries_.end() : const_iterator(*it);
  }

  // Makes an entry the most recently used one.
  void Touch(iterator entry) { entries_.splice(entries_.begin(), entries_, entry); }

  // Adds the value of a key that has none, as the most recently used one. No effect if memory is
  // exhausted (std::bad_alloc).
  iterator Add(Key key, Value value) {
    List added;
    added.emplace_front(std::move(key), std::move(value));
    index_.insert(added.begin());
    entries_.splice(entries_.begin(), added);  // cannot throw
    return entries_.begin();
  }

  // Removes an entry, and returns the next one.
  iterator Erase(iterator entry) {
    index_.erase(entry);
    return entries_.erase(entry);
  }
  // Moves an entry to `out`, for values that must be destroyed after a lock is released. Allocates
  // nothing. Returns the next one.
  iterator Take(iterator entry, List* out) {
    const iterator next = std::next(entry);
    index_.erase(entry);
    out->splice(out->begin(), entries_, entry);
    return next;
  }
  void Clear() {
    index_.clear();
    entries_.clear();
  }

 private:
  // The index holds places in the list, and is searched by key. Not noexcept, so that it keeps the
  // hashes.
  struct HashOfKey {
    using is_transparent = void;
    size_t operator()(const Key& key) const { return Hash{}(key); }
    size_t operator()(iterator entry) const { return Hash{}(entry->key); }
  };
  struct SameKey {
    using is_transparent = void;
    bool operator()(iterator a, iterator b) const { return a->key == b->key; }
    bool operator()(const Key& key, iterator entry) const { return key == entry->key; }
    bool operator()(iterator entry, const Key& key) const { return entry->key == key; }
  };

  List entries_;
  std::unordered_set<iterator, HashOfKey, SameKey> index_;
};

}  // namespace stagedoor

#endif  // STAGEDOOR_BASE_RECENCY_LIST_H_

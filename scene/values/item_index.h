#ifndef STAGEDOOR_SCENE_VALUES_ITEM_INDEX_H_
#define STAGEDOOR_SCENE_VALUES_ITEM_INDEX_H_

#include <cstddef>
#include <functional>
#include <optional>
#include <unordered_map>
#include <vector>

#include "absl/hash/hash.h"

namespace stagedoor {

// Hashes the items of list operations; specialized for types without std::hash.
template <typename T>
struct ListItemHash {
  size_t operator()(const T& item) const { return std::hash<T>()(item); }
};

// An ItemIndex without the type of its items, so that its code exists once.
class ItemNumbers {
 public:
  using Hash = size_t (*)(const void*);
  using Equal = bool (*)(const void*, const void*);

  ItemNumbers(Hash hash, Equal equal) : equal_(equal), by_hash_(0, hash, equal) {}

  bool Insert(const void* item);
  std::optional<size_t> Find(const void* item) const;

 private:
  const Equal equal_;
  std::vector<const void*> few_;
  std::unordered_map<const void*, size_t, Hash, Equal> by_hash_;  // all items if there are many
};

// A set of items that numbers them in the order of insertion. Few items are searched linearly, many
// by hash. Stores pointers, so the items must not move while the index is used. Not thread-safe.
template <typename T>
class ItemIndex {
 public:
  ItemIndex() : numbers_(&HashOf, &AreEqual) {}

  // Returns false if an equal item is already present.
  bool Insert(const T& item) { return numbers_.Insert(&item); }
  // The number of the item, or nothing if it is not present.
  std::optional<size_t> Find(const T& item) const { return numbers_.Find(&item); }

 private:
  static size_t HashOf(const void* item) {
    return absl::HashOf(ListItemHash<T>()(*static_cast<const T*>(item)));
  }
  static bool AreEqual(const void* a, const void* b) {
    return *static_cast<const T*>(a) == *static_cast<const T*>(b);
  }

  ItemNumbers numbers_;
};

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_VALUES_ITEM_INDEX_H_

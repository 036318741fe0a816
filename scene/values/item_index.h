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

// A set of items that numbers them in the order of insertion. Few items are searched linearly, many
// by hash. Stores pointers, so the items must not move while the index is used. Not thread-safe.
template <typename T>
class ItemIndex {
 public:
  // Returns false if an equal item is already present.
  bool Insert(const T& item) {
    if (!by_hash_.empty()) return by_hash_.try_emplace(&item, by_hash_.size()).second;
    if (Find(item)) return false;
    few_.push_back(&item);
    if (few_.size() > kFew) {
      for (size_t i = 0; i < few_.size(); ++i) by_hash_.emplace(few_[i], i);
    }
    return true;
  }
  // The number of the item, or nothing if it is not present.
  std::optional<size_t> Find(const T& item) const {
    if (!by_hash_.empty()) {
      const auto it = by_hash_.find(&item);
      return it == by_hash_.end() ? std::nullopt : std::optional(it->second);
    }
    for (size_t i = 0; i < few_.size(); ++i) {
      if (*few_[i] == item) return i;
    }
    return std::nullopt;
  }

 private:
  static constexpr size_t kFew = 16;
  struct Hash {
    size_t operator()(const T* item) const { return absl::HashOf(ListItemHash<T>()(*item)); }
  };
  struct Equal {
    bool operator()(const T* a, const T* b) const { return *a == *b; }
  };
  std::vector<const T*> few_;
  std::unordered_map<const T*, size_t, Hash, Equal> by_hash_;  // all items if more than kFew
};

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_VALUES_ITEM_INDEX_H_

#ifndef STAGEDOOR_SCENE_VALUES_ITEM_INDEX_H_
#define STAGEDOOR_SCENE_VALUES_ITEM_INDEX_H_

#include <cstddef>
#include <functional>
#include <optional>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/hash/hash.h"

namespace stagedoor {

// How items are hashed in long lists; specialised where std::hash does not know the type.
template <typename T>
struct ListItemHash {
  size_t operator()(const T& item) const { return std::hash<T>()(item); }
};

// Items by equality with the order in which they came. Few are searched one by one, many by hash.
// The items must stay where they are.
template <typename T>
class ItemIndex {
 public:
  // False when an equal item is in already.
  bool Insert(const T& item) {
    if (!by_hash_.empty()) return by_hash_.try_emplace(&item, by_hash_.size()).second;
    if (Find(item)) return false;
    few_.push_back(&item);
    if (few_.size() > kFew) {
      for (size_t i = 0; i < few_.size(); ++i) by_hash_.emplace(few_[i], i);
    }
    return true;
  }
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
  absl::flat_hash_map<const T*, size_t, Hash, Equal> by_hash_;  // of all, once they are more
};

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_VALUES_ITEM_INDEX_H_

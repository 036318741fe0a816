// ListOp<T>: an edit of a list of unique items. Corresponds to OpenUSD's SdfListOp; see the Core
// Specification, section 6.6.3 (List Operations). Thread-safe to read.
#ifndef STAGEDOOR_SCENE_VALUES_LIST_OP_H_
#define STAGEDOOR_SCENE_VALUES_LIST_OP_H_

#include <algorithm>
#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

#include "scene/values/item_index.h"

namespace stagedoor {

template <typename T>
class ListOp {
 public:
  using Items = std::vector<T>;

  static ListOp Explicit(Items items) {
    ListOp op;
    op.is_explicit = true;
    op.explicit_items = std::move(items);
    return op;
  }
  static ListOp Prepended(Items items) {
    ListOp op;
    op.prepended = std::move(items);
    return op;
  }

  // False for the default value (section 6.6.3.3), which never changes a list.
  bool HasEdits() const {
    return is_explicit || !prepended.empty() || !appended.empty() || !deleted.empty() ||
           !added.empty() || !ordered.empty();
  }

  // The total number of items in all lists.
  size_t size() const {
    return explicit_items.size() + prepended.size() + appended.size() + deleted.size() +
           added.size() + ordered.size();
  }

  // Applies this operation to the result of weaker ones. An explicit list replaces it (section
  // 6.6.3.6 Combining); otherwise deletes, adds, prepends, appends and reorders, in this order, as
  // SdfListOp::ApplyOperations does. Items that equal one of this operation become that one, which
  // matters for those with parts that do not count for equality. Linear in the number of items.
  void ApplyTo(Items* items) const {
    if (is_explicit) {
      *items = Unique(explicit_items);
      return;
    }
    RemoveAll(deleted, items);
    Add(items);
    Items front = Unique(prepended);
    RemoveAll(front, items);
    items->insert(items->begin(), front.begin(), front.end());
    const Items back = UniqueKeepLast(appended);
    RemoveAll(back, items);
    items->insert(items->end(), back.begin(), back.end());
    Reorder(ordered, items);
  }

  // The operation that is equivalent to applying `weak` and then `strong` (section 6.6.3.6).
  // Nothing if there is none, because the deprecated "add" and "reorder" depend on the list they
  // are applied to (section 6.6.3.10).
  static std::optional<ListOp> Compose(const ListOp& strong, const ListOp& weak) {
    if (strong.is_explicit) return strong;
    if (weak.is_explicit) {
      ListOp result = weak;
      strong.ApplyTo(&result.explicit_items);
      return result;
    }
    if (!strong.added.empty() || !strong.ordered.empty()) return std::nullopt;
    if (!weak.added.empty() || !weak.ordered.empty()) return std::nullopt;
    ListOp result;
    const Items back = UniqueKeepLast(strong.appended);
    const Items front = Without(back, Unique(strong.prepended));
    Items touched = front;
    touched.insert(touched.end(), back.begin(), back.end());
    const Items gone = Without(touched, Unique(strong.deleted));
    const Items both = Concatenated(touched, gone);
    result.deleted = Concatenated(Without(both, Unique(weak.deleted)), gone);
    const Items weak_back = UniqueKeepLast(weak.appended);
    const Items weak_front = Without(weak_back, Unique(weak.prepended));
    result.prepended = Concatenated(front, Without(both, weak_front));
    result.appended = Concatenated(Without(both, weak_back), back);
    return result;
  }

  // Moves the items that `order` names into that order. Each takes along the unnamed items that
  // follow it; unnamed items before the first named one stay in front.
  static void Reorder(const Items& order, Items* items) {
    const Items wanted = Unique(order);
    if (wanted.empty() || items->empty()) return;
    ItemIndex<T> positions;
    for (const T& item : wanted) positions.Insert(item);
    std::vector<Items> runs(wanted.size());
    Items result;
    Items* run = &result;
    for (T& item : *items) {
      const std::optional<size_t> at = positions.Find(item);
      if (at) run = &runs[*at];
      run->push_back(at ? wanted[*at] : std::move(item));
    }
    for (Items& r : runs) result.insert(result.end(), r.begin(), r.end());
    *items = std::move(result);
  }

  friend bool operator==(const ListOp&, const ListOp&) = default;

  bool is_explicit = false;
  Items explicit_items;
  Items prepended;
  Items appended;
  Items deleted;
  Items added;    // deprecated "add"
  Items ordered;  // deprecated "reorder"

 private:
  static void RemoveAll(const Items& removed, Items* items) {
    if (removed.empty() || items->empty()) return;
    ItemIndex<T> index;
    for (const T& item : removed) index.Insert(item);
    std::erase_if(*items, [&](const T& item) { return index.Find(item).has_value(); });
  }
  static Items Without(const Items& removed, Items items) {
    RemoveAll(removed, &items);
    return items;
  }
  static Items Concatenated(Items front, const Items& back) {
    front.insert(front.end(), back.begin(), back.end());
    return front;
  }
  void Add(Items* items) const {
    if (added.empty()) return;
    const Items wanted = Unique(added);
    ItemIndex<T> index;
    for (const T& item : wanted) index.Insert(item);
    std::vector<bool> present(wanted.size());
    for (T& item : *items) {
      const std::optional<size_t> at = index.Find(item);
      if (!at) continue;
      item = wanted[*at];
      present[*at] = true;
    }
    for (size_t i = 0; i < wanted.size(); ++i) {
      if (!present[i]) items->push_back(wanted[i]);
    }
  }
  static Items Unique(const Items& items) {
    Items result;
    ItemIndex<T> index;
    for (const T& item : items) {
      if (index.Insert(item)) result.push_back(item);
    }
    return result;
  }
  static Items UniqueKeepLast(const Items& items) {
    Items result;
    ItemIndex<T> index;
    for (auto it = items.rbegin(); it != items.rend(); ++it) {
      if (index.Insert(*it)) result.push_back(*it);
    }
    std::reverse(result.begin(), result.end());
    return result;
  }
};

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_VALUES_LIST_OP_H_

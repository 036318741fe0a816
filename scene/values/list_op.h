// ListOp<T>: an edit of a list of unique items (Core Specification, "list operations").
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

  bool HasEdits() const {
    return is_explicit || !prepended.empty() || !appended.empty() || !deleted.empty() ||
           !added.empty() || !ordered.empty();
  }

  // Items of all lists.
  size_t size() const {
    return explicit_items.size() + prepended.size() + appended.size() + deleted.size() +
           added.size() + ordered.size();
  }

  // Applies this edit to what weaker edits made of the list: deleted, added, prepended, appended,
  // ordered, in this order; an explicit list replaces it. Linear in the number of items.
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

  // One edit that does what `weak` and then `strong` do. None where no single edit can: "add" and
  // "reorder" depend on the list they meet.
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

  // Moves items named by `order` into that order; each takes the unnamed items that follow it
  // along; what stands before the first named item stays in front.
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
      run->push_back(std::move(item));
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
  Items added;    // legacy "add"
  Items ordered;  // "reorder"

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
    const Items before = *items;  // the index points at its items
    ItemIndex<T> index;
    for (const T& item : before) index.Insert(item);
    for (const T& item : added) {
      if (index.Insert(item)) items->push_back(item);
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

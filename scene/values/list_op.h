// ListOp<T>: an edit of a list of unique items (Core Specification, "list operations").
#ifndef STAGEDOOR_SCENE_VALUES_LIST_OP_H_
#define STAGEDOOR_SCENE_VALUES_LIST_OP_H_

#include <algorithm>
#include <utility>
#include <vector>

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

  // Applies this edit to what weaker edits made of the list: deleted, added, prepended, appended,
  // ordered, in this order; an explicit list replaces it.
  void ApplyTo(Items* items) const {
    if (is_explicit) {
      *items = Unique(explicit_items);
      return;
    }
    for (const T& item : deleted) Remove(item, items);
    for (const T& item : added) {
      if (!Contains(*items, item)) items->push_back(item);
    }
    Items front = Unique(prepended);
    for (const T& item : front) Remove(item, items);
    items->insert(items->begin(), front.begin(), front.end());
    const Items back = UniqueKeepLast(appended);
    for (const T& item : back) Remove(item, items);
    items->insert(items->end(), back.begin(), back.end());
    Reorder(ordered, items);
  }

  // Moves items named by `order` into that order; each takes the unnamed items that follow it
  // along; what stands before the first named item stays in front.
  static void Reorder(const Items& order, Items* items) {
    const Items wanted = Unique(order);
    if (wanted.empty() || items->empty()) return;
    std::vector<Items> runs(wanted.size());
    Items result;
    Items* run = &result;
    for (T& item : *items) {
      const auto it = std::find(wanted.begin(), wanted.end(), item);
      if (it != wanted.end()) run = &runs[it - wanted.begin()];
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
  static bool Contains(const Items& items, const T& item) {
    return std::find(items.begin(), items.end(), item) != items.end();
  }
  static void Remove(const T& item, Items* items) {
    items->erase(std::remove(items->begin(), items->end(), item), items->end());
  }
  static Items Unique(const Items& items) {
    Items result;
    for (const T& item : items) {
      if (!Contains(result, item)) result.push_back(item);
    }
    return result;
  }
  static Items UniqueKeepLast(const Items& items) {
    Items result;
    for (auto it = items.rbegin(); it != items.rend(); ++it) {
      if (!Contains(result, *it)) result.push_back(*it);
    }
    std::reverse(result.begin(), result.end());
    return result;
  }
};

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_VALUES_LIST_OP_H_

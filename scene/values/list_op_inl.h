#ifndef STAGEDOOR_SCENE_VALUES_LIST_OP_INL_H_
#define STAGEDOOR_SCENE_VALUES_LIST_OP_INL_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "scene/paths/path.h"
#include "scene/paths/token.h"
#include "scene/values/item_index.h"
#include "scene/values/list_op.h"
#include "scene/values/payload.h"
#include "scene/values/reference.h"
#include "scene/values/unregistered_value.h"

namespace stagedoor {

template <typename T>
void ListOp<T>::ApplyTo(Items* items) const {
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

template <typename T>
std::optional<ListOp<T>> ListOp<T>::Compose(const ListOp& strong, const ListOp& weak) {
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
  const Items touched = Concatenated(front, back);
  const Items gone = Without(touched, Unique(strong.deleted));
  const Items both = Concatenated(touched, gone);
  result.deleted = Concatenated(Without(both, Unique(weak.deleted)), gone);
  const Items weak_back = UniqueKeepLast(weak.appended);
  const Items weak_front = Without(weak_back, Unique(weak.prepended));
  result.prepended = Concatenated(front, Without(both, weak_front));
  result.appended = Concatenated(Without(both, weak_back), back);
  return result;
}

template <typename T>
void ListOp<T>::Reorder(const Items& order, Items* items) {
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

template <typename T>
void ListOp<T>::RemoveAll(const Items& removed, Items* items) {
  if (removed.empty() || items->empty()) return;
  ItemIndex<T> index;
  for (const T& item : removed) index.Insert(item);
  std::erase_if(*items, [&](const T& item) { return index.Find(item).has_value(); });
}

template <typename T>
typename ListOp<T>::Items ListOp<T>::Without(const Items& removed, Items items) {
  RemoveAll(removed, &items);
  return items;
}

template <typename T>
typename ListOp<T>::Items ListOp<T>::Concatenated(Items front, const Items& back) {
  front.insert(front.end(), back.begin(), back.end());
  return front;
}

template <typename T>
void ListOp<T>::Add(Items* items) const {
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

template <typename T>
typename ListOp<T>::Items ListOp<T>::Unique(const Items& items) {
  if (items.size() < 2) return items;
  Items result;
  ItemIndex<T> index;
  for (const T& item : items) {
    if (index.Insert(item)) result.push_back(item);
  }
  return result;
}

template <typename T>
typename ListOp<T>::Items ListOp<T>::UniqueKeepLast(const Items& items) {
  if (items.size() < 2) return items;
  Items result;
  ItemIndex<T> index;
  for (auto it = items.rbegin(); it != items.rend(); ++it) {
    if (index.Insert(*it)) result.push_back(*it);
  }
  std::reverse(result.begin(), result.end());
  return result;
}

// Those of the fields of a layer (STAGEDOOR_COMPOSITE_TYPES) are in list_op.cc.
extern template class ListOp<Token>;
extern template class ListOp<std::string>;
extern template class ListOp<Path>;
extern template class ListOp<Reference>;
extern template class ListOp<Payload>;
extern template class ListOp<int32_t>;
extern template class ListOp<uint32_t>;
extern template class ListOp<int64_t>;
extern template class ListOp<uint64_t>;
extern template class ListOp<UnregisteredValue>;

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_VALUES_LIST_OP_INL_H_

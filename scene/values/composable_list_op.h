#ifndef STAGEDOOR_SCENE_VALUES_COMPOSABLE_LIST_OP_H_
#define STAGEDOOR_SCENE_VALUES_COMPOSABLE_LIST_OP_H_

#include <utility>

#include "scene/values/item_index.h"
#include "scene/values/list_op.h"

namespace stagedoor {

// The operation with adds turned into appends and without reordering, so that ListOp::Compose can
// always merge it with another. OpenUSD does so when it flattens layer stacks. Linear in the number
// of items.
template <typename T>
ListOp<T> ComposableListOp(ListOp<T> op) {
  op.appended.reserve(op.appended.size() + op.added.size());  // the index points to the items
  ItemIndex<T> known;
  for (const T& item : op.appended) known.Insert(item);
  for (T& item : op.added) {
    if (known.Find(item)) continue;
    op.appended.push_back(std::move(item));
    known.Insert(op.appended.back());
  }
  op.added.clear();
  op.ordered.clear();
  return op;
}

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_VALUES_COMPOSABLE_LIST_OP_H_

#ifndef STAGEDOOR_SCENE_VALUES_LIST_OP_MERGING_H_
#define STAGEDOOR_SCENE_VALUES_LIST_OP_MERGING_H_

#include <algorithm>
#include <utility>

#include "scene/values/list_op.h"

namespace stagedoor {

// The edit without what only makes sense on a given list: adds become appends, reordering is left
// out. Two such edits can be merged into one, as OpenUSD does when it flattens.
template <typename T>
ListOp<T> Mergeable(ListOp<T> op) {
  for (T& item : op.added) {
    if (std::find(op.appended.begin(), op.appended.end(), item) == op.appended.end()) {
      op.appended.push_back(std::move(item));
    }
  }
  op.added.clear();
  op.ordered.clear();
  return op;
}

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_VALUES_LIST_OP_MERGING_H_

// IndexBudget: the work that composing one prim may take, all indexes within its own included.
//
// Arcs that each lead to several others multiply level by level while every single index stays
// small, so neither the size of a graph nor the depth of the nesting bounds the time. One budget is
// shared by all of them. Not thread-safe.
#ifndef STAGEDOOR_SCENE_COMPOSITION_INDEX_BUDGET_H_
#define STAGEDOOR_SCENE_COMPOSITION_INDEX_BUDGET_H_

#include <cstddef>

#include "base/request_context.h"

namespace stagedoor {

class IndexBudget {
 public:
  // Steps: tasks, arcs, and nodes taken from one graph into another. Far above what a prim with as
  // many nodes as a graph may have takes when its arcs do not multiply.
  static constexpr size_t kMaxSteps = size_t{1} << 20;

  // `context` outlives the budget.
  explicit IndexBudget(RequestContext& context) : context_(context) {}

  // False when no more work is to be done: the steps are used up, or the request has ended.
  bool Spend(size_t steps = 1) {
    if (used_ >= checked_at_ + kStepsPerCheck) CheckRequest();
    used_ += steps;
    return !stopped();
  }
  // For a look at each of many nodes or tasks.
  void SpendOnScan(size_t items) { Spend(items / kItemsPerStep); }
  bool stopped() const { return ended_ || exhausted(); }
  bool exhausted() const { return used_ > kMaxSteps; }

 private:
  static constexpr size_t kStepsPerCheck = 64;
  static constexpr size_t kItemsPerStep = 1024;

  void CheckRequest() {
    checked_at_ = used_;
    if (!context_.Check().ok()) ended_ = true;
  }

  RequestContext& context_;
  size_t used_ = 0;
  size_t checked_at_ = 0;
  bool ended_ = false;
};

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_COMPOSITION_INDEX_BUDGET_H_

// IndexBudget: the work that composing one prim may take, all indexes within its own included.
//
// Arcs that each lead to several others multiply level by level while every single index stays
// small, so neither the size of a graph nor the depth of the nesting bounds the time. One budget is
// shared by all of them, and what it counts is work of the request. Not thread-safe.
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
  IndexBudget(const IndexBudget&) = delete;
  IndexBudget& operator=(const IndexBudget&) = delete;
  ~IndexBudget() { context_.AddSteps(Uncharged()); }

  // False when no more work is to be done: the steps are used up, or the request has ended.
  bool Spend(size_t steps = 1) { return SpendOnScan(steps * kItemsPerStep); }
  // For a look at each of many nodes or tasks.
  bool SpendOnScan(size_t items) {
    used_ += items;
    if (used_ - checked_at_ >= kItemsPerCheck) CheckRequest();
    return !stopped();
  }
  bool stopped() const { return ended_ || exhausted(); }
  bool exhausted() const { return used_ > kMaxSteps * kItemsPerStep; }

 private:
  static constexpr size_t kItemsPerStep = 1024;
  static constexpr size_t kItemsPerCheck = 64 * kItemsPerStep;
  static constexpr size_t kItemsPerContextStep = 64;

  size_t Uncharged() const { return (used_ - checked_at_) / kItemsPerContextStep; }
  void CheckRequest() {
    if (!context_.Spend(Uncharged()).ok()) ended_ = true;
    checked_at_ = used_;
  }

  RequestContext& context_;
  size_t used_ = 0;        // items
  size_t checked_at_ = 0;  // those that the context knows
  bool ended_ = false;
};

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_COMPOSITION_INDEX_BUDGET_H_

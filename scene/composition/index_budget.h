#ifndef STAGEDOOR_SCENE_COMPOSITION_INDEX_BUDGET_H_
#define STAGEDOOR_SCENE_COMPOSITION_INDEX_BUDGET_H_

#include <cstddef>

#include "base/request_context.h"

namespace stagedoor {

// Bounds the work of composing one prim, including the nested indexes that sub-root targets need.
//
// If arcs each lead to several others, the work multiplies level by level while every single index
// stays small, so neither the size of a graph nor the nesting depth bounds the time. All nested
// indexers of one prim share one budget, which also charges its steps to the request. OpenUSD has
// no such bound (its PcpErrorIndexCapacityExceeded limits nodes only). Not thread-safe.
class IndexBudget {
 public:
  // A step is a task, an arc, or a node copied from one graph into another. The limit is far above
  // what a prim whose graph is full takes if its arcs do not multiply.
  static constexpr size_t kMaxSteps = size_t{1} << 20;

  // `context` outlives the budget.
  explicit IndexBudget(RequestContext& context) : context_(context) {}
  IndexBudget(const IndexBudget&) = delete;
  IndexBudget& operator=(const IndexBudget&) = delete;
  ~IndexBudget() { context_.AddSteps(Uncharged()); }

  // Counts steps. False if no more work may be done, because the steps are used up or the request
  // has ended.
  bool Spend(size_t steps = 1) { return SpendOnScan(steps * kItemsPerStep); }
  // Counts items, of which kItemsPerStep make a step, for scans over many nodes or tasks.
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
  size_t checked_at_ = 0;  // items already charged to the context
  bool ended_ = false;
};

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_COMPOSITION_INDEX_BUDGET_H_

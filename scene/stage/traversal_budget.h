#ifndef STAGEDOOR_SCENE_STAGE_TRAVERSAL_BUDGET_H_
#define STAGEDOOR_SCENE_STAGE_TRAVERSAL_BUDGET_H_

#include <cstddef>

#include "base/request_context.h"
#include "scene/stage/prim.h"

namespace stagedoor {

// Counts and limits the prims that a request visits when it traverses a stage.
//
// A few lines of text can produce 10^9 instance proxies, so every traversal that visits instance
// proxies does this:
//
//   TraversalBudget visits(stage);
//   for (const Prim& prim : stage.Traverse(predicate)) {
//     if (!visits.Spend(context, prim)) break;  // context.Check() has the reason
//   }
//
// Observes the deadline, cancellation and the limit of steps, and fails the request with
// RESOURCE_EXHAUSTED after StageEnvironment::max_proxies instance proxies. Not thread-safe.
class TraversalBudget {
 public:
  explicit TraversalBudget(const Stage& stage);

  // Counts a visit of `prim`. False once the request is over.
  bool Spend(RequestContext& context, const Prim& prim) {
    proxies_ += prim.IsInstanceProxy();
    return ++unspent_ < kStride || CheckRequest(context);
  }

 private:
  static constexpr size_t kStride = 64;  // small, as callers may spend microseconds per prim
  bool CheckRequest(RequestContext& context);

  size_t max_proxies_;
  size_t proxies_ = 0;
  size_t unspent_ = 0;
};

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_STAGE_TRAVERSAL_BUDGET_H_

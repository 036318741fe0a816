#include "scene/stage/traversal_budget.h"

#include "base/status.h"
#include "scene/stage/stage.h"

namespace stagedoor {

TraversalBudget::TraversalBudget(const Stage& stage)
    : max_proxies_(stage.environment().max_proxies) {}

bool TraversalBudget::CheckRequest(RequestContext& context) {
  if (proxies_ > max_proxies_) {
    context.Fail(ResourceExhaustedError("the request visits more than ", max_proxies_,
                                        " instance proxies; query fewer roots or leave out the "
                                        "descendants of instances"));
  }
  const bool wanted = context.Spend(unspent_).ok();
  unspent_ = wanted ? 0 : kStride;  // once the request is over, every further visit fails too
  return wanted;
}

}  // namespace stagedoor

#include "scene/stage/prim_visits.h"

#include "base/status.h"
#include "scene/stage/stage.h"

namespace stagedoor {

PrimVisits::PrimVisits(const Stage& stage) : max_proxies_(stage.environment().max_proxies) {}

bool PrimVisits::Ask(RequestContext& context) {
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

#include "scene/stage/prim_visits.h"

#include "base/status.h"
#include "scene/stage/stage.h"

namespace stagedoor {

PrimVisits::PrimVisits(const Stage& stage) : max_proxies_(stage.environment().max_proxies) {}

bool PrimVisits::Ask(RequestContext& context) {
  if (proxies_ > max_proxies_) {
    context.Fail(ResourceExhaustedError("the request comes by more than ", max_proxies_,
                                        " instance proxies; ask for fewer roots, or leave out "
                                        "what is below instances"));
  }
  const bool wanted = context.Spend(unspent_).ok();
  unspent_ = wanted ? 0 : kStride;  // once over, over at each visit
  return wanted;
}

}  // namespace stagedoor

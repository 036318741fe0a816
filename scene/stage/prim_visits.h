// PrimVisits: counts the prims that a request's walks over a stage come by.
#ifndef STAGEDOOR_SCENE_STAGE_PRIM_VISITS_H_
#define STAGEDOOR_SCENE_STAGE_PRIM_VISITS_H_

#include <cstddef>

#include "base/request_context.h"
#include "scene/stage/prim.h"

namespace stagedoor {

// A few lines of text make 10^9 instance proxies, so every walk that goes below instances asks
//
//   PrimVisits visits(stage);
//   for (const Prim& prim : stage.Traverse(predicate)) {
//     if (!visits.Go(context, prim)) break;  // context.Check() says why
//   }
//
// It observes deadline, cancellation and the request's steps, and ends the request with
// RESOURCE_EXHAUSTED after StageEnvironment::max_proxies proxies. For one thread.
class PrimVisits {
 public:
  explicit PrimVisits(const Stage& stage);

  // Counts the visit of `prim`. False once the request is over.
  bool Go(RequestContext& context, const Prim& prim) {
    proxies_ += prim.IsInstanceProxy();
    return ++unspent_ < kStride || Ask(context);
  }

  size_t proxies() const { return proxies_; }

 private:
  static constexpr size_t kStride = 64;  // what is done with a prim may take microseconds
  bool Ask(RequestContext& context);

  size_t max_proxies_;
  size_t proxies_ = 0;
  size_t unspent_ = 0;
};

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_STAGE_PRIM_VISITS_H_

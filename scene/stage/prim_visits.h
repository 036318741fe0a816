// PrimVisits: counts and limits the prims that a request visits when it traverses a stage.
#ifndef STAGEDOOR_SCENE_STAGE_PRIM_VISITS_H_
#define STAGEDOOR_SCENE_STAGE_PRIM_VISITS_H_

#include <cstddef>

#include "base/request_context.h"
#include "scene/stage/prim.h"

namespace stagedoor {

// A few lines of text can produce 10^9 instance proxies, so every traversal that visits instance
// proxies does this:
//
//   PrimVisits visits(stage);
//   for (const Prim& prim : stage.Traverse(predicate)) {
//     if (!visits.Go(context, prim)) break;  // context.Check() has the reason
//   }
//
// Observes the deadline, cancellation and the limit of steps, and fails the request with
// RESOURCE_EXHAUSTED after StageEnvironment::max_proxies instance proxies. Not thread-safe.
class PrimVisits {
 public:
  explicit PrimVisits(const Stage& stage);

  // Counts a visit of `prim`. False once the request is over.
  bool Go(RequestContext& context, const Prim& prim) {
    proxies_ += prim.IsInstanceProxy();
    return ++unspent_ < kStride || Ask(context);
  }

  size_t proxies() const { return proxies_; }

 private:
  static constexpr size_t kStride = 64;  // small, as callers may spend microseconds per prim
  bool Ask(RequestContext& context);

  size_t max_proxies_;
  size_t proxies_ = 0;
  size_t unspent_ = 0;
};

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_STAGE_PRIM_VISITS_H_

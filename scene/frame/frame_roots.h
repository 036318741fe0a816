#ifndef STAGEDOOR_SCENE_FRAME_FRAME_ROOTS_H_
#define STAGEDOOR_SCENE_FRAME_FRAME_ROOTS_H_

#include <vector>

#include "base/request_context.h"
#include "scene/geom/prim_map.h"
#include "scene/stage/prim.h"

namespace stagedoor {

// A set of subtrees, given by their roots. Immutable.
class Subtrees {
 public:
  explicit Subtrees(const std::vector<Prim>& roots);

  bool empty() const { return roots_.size() == 0; }
  // Whether `prim` is one of the roots.
  bool IsRoot(const Prim& prim) const { return roots_.Find(prim) != nullptr; }
  // Whether `prim` is in one of the subtrees.
  bool Contain(const Prim& prim) const;

 private:
  PrimMap<bool> roots_;
};

// The roots to walk for these ones, each prim once and in stage order: without those below others,
// and those in `excluded`. Incomplete once the request is over.
std::vector<Prim> RootsToWalk(RequestContext& context, const std::vector<Prim>& roots,
                              const Subtrees& excluded);

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_FRAME_FRAME_ROOTS_H_

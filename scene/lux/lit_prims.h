#ifndef STAGEDOOR_SCENE_LUX_LIT_PRIMS_H_
#define STAGEDOOR_SCENE_LUX_LIT_PRIMS_H_

#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "base/pacer.h"
#include "base/request_context.h"
#include "base/reservation.h"
#include "scene/stage/prim.h"

namespace stagedoor {

// The prims with lights or light filters at or below them. Found by the schemas of prims, those of
// each prototype once, so that a search for lights passes over the subtrees that have none, however
// many instances these have. Internal to scene/lux. Not thread-safe.
class LitPrims {
 public:
  // Those at and below `root`. Incomplete once the request is over.
  LitPrims(RequestContext& context, const Prim& root);

  // Whether a prim, at any of its places below the root, may have lights at or below it.
  bool Contain(const Prim& prim) const { return lit_.count(&prim.data()) != 0; }

 private:
  // A prim whose children are visited.
  struct Level {
    const PrimData* owner;
    const PrimData* next;
    const PrimData* end;
  };

  // Notes whether a prim is a light, and goes on with its children.
  void Enter(const PrimData& prim);
  bool IsLit(const PrimData& prim);
  // Adds a prim, and with it those of the levels above.
  void AddWithAncestors(const PrimData& prim);
  bool Add(const PrimData& prim);

  Pacer pacer_;
  Reservation reserved_;
  const bool has_schemas_;
  std::vector<Level> levels_;
  std::unordered_map<const PrimDefinition*, bool> is_light_;
  std::unordered_set<const Prototype*> seen_;
  std::unordered_set<const PrimData*> lit_;
};

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_LUX_LIT_PRIMS_H_

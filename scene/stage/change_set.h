#ifndef STAGEDOOR_SCENE_STAGE_CHANGE_SET_H_
#define STAGEDOOR_SCENE_STAGE_CHANGE_SET_H_

#include <unordered_set>
#include <vector>

#include "base/request_context.h"
#include "scene/layer/layer_diff.h"
#include "scene/stage/prim_data.h"
#include "scene/stage/stage_data.h"

namespace stagedoor {

// Which prims of a stage a change of layers or load rules can affect.
//
// Computed when Stage::Recompose derives a snapshot from the previous one; every prim index that
// the change cannot affect is then reused. Conservative: a prim may be reported as affected
// although its index comes out the same. Takes the place of OpenUSD's PcpChanges, without
// notifications.
class ChangeSet {
 public:
  enum class Effect {
    kNone,     // the prim's index stays as it is
    kPrim,     // only the prim's own index
    kSubtree,  // the prim and everything below it
  };

  // `before` must outlive the set. `after` has its composer for the new options and layers, but is
  // not populated yet.
  ChangeSet(RequestContext& context, const StageData& before, const StageData& after);

  const StageData& before() const { return before_; }
  // True if nothing of the previous snapshot can be reused.
  bool affects_all() const { return all_; }
  // `prim` belongs to the previous snapshot.
  Effect EffectOn(const PrimData& prim) const;

 private:
  void Add(const PrimChange& change);
  void CompareStacks(RequestContext& context, const LayerStack& before, const LayerStack& after);
  void FindReplacedLayers(RequestContext& context);
  Effect EffectOnSite(Path site) const;

  const StageData& before_;
  const StageData& after_;
  bool all_ = false;
  // Prims changed in the root layer stack: with all below them, sorted; and for themselves, with
  // the ancestors of all.
  std::vector<Path> subtrees_;
  std::unordered_set<Path> prims_;
  // Layers that have a newer version now; matters where they are behind arcs.
  std::unordered_set<const Layer*> replaced_;
};

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_STAGE_CHANGE_SET_H_

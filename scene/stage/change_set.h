// ChangeSet: what of a stage a change of its layers or load rules can affect.
//
// Made when a snapshot succeeds another; errs on the side of affecting too much. Everything it does
// not affect is taken over from the snapshot before, index by index.
#ifndef STAGEDOOR_SCENE_STAGE_CHANGE_SET_H_
#define STAGEDOOR_SCENE_STAGE_CHANGE_SET_H_

#include <unordered_set>
#include <vector>

#include "base/request_context.h"
#include "scene/stage/prim_data.h"
#include "scene/stage/stage.h"

namespace stagedoor {

class ChangeSet {
 public:
  enum class Effect {
    kNone,     // the prim's index stays as it is
    kPrim,     // only the prim's own index may change: something below it does
    kSubtree,  // the prim and everything below it
  };

  // `before` outlives the set. `after` is composed with the new options and layers but not
  // populated.
  ChangeSet(RequestContext& context, const Stage& before, const Stage& after);

  bool affects_all() const { return all_; }
  Effect On(const PrimData& prim) const;

 private:
  void CompareStacks(const LayerStack& before, const LayerStack& after);
  void FindReplacedLayers(RequestContext& context);
  Effect OnSite(Path site) const;

  const Stage& before_;
  const Stage& after_;
  bool all_ = false;
  std::vector<Path> prims_;             // changed in the root layer stack; sorted
  std::unordered_set<Path> ancestors_;  // of them
  // Stacks of referenced assets with a layer that has another version now.
  std::unordered_set<const Layer*> replaced_;
};

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_STAGE_CHANGE_SET_H_

// FieldFinisher: translates what an opinion states in its layer's terms into the stage's: time
// codes by the composed offset, asset paths by evaluation and resolution.
#ifndef STAGEDOOR_SCENE_STAGE_FIELD_FINISHER_H_
#define STAGEDOOR_SCENE_STAGE_FIELD_FINISHER_H_

#include "base/request_context.h"
#include "scene/composition/prim_index.h"
#include "scene/stage/metadata.h"
#include "scene/values/value.h"

namespace stagedoor {

class Stage;

// A FinishField; borrows the stage and the index.
class FieldFinisher {
 public:
  FieldFinisher(const Stage& stage, const PrimIndexRef& index) : stage_(stage), index_(index) {}

  Value operator()(RequestContext& context, Value value, const FieldSite& site) const;
  // Asset paths only, for values that are already in stage time.
  Value ResolveAssets(RequestContext& context, Value value, const PrimSite& site) const;
  // The same for paths that are written in `layer`, with the variables of `stack`.
  Value ResolveAssets(RequestContext& context, Value value, const Layer& layer,
                      const LayerStack& stack) const;

 private:
  const Stage& stage_;
  const PrimIndexRef& index_;
};

// As FieldFinisher, for values that are written into another layer: asset paths are evaluated and
// anchored, not resolved.
class FieldAnchorer {
 public:
  FieldAnchorer(const Stage& stage, const PrimIndexRef& index) : stage_(stage), index_(index) {}

  Value operator()(RequestContext& context, Value value, const FieldSite& site) const;
  Value Anchor(RequestContext& context, Value value, const Layer& layer,
               const LayerStack& stack) const;

 private:
  const Stage& stage_;
  const PrimIndexRef& index_;
};

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_STAGE_FIELD_FINISHER_H_

#ifndef STAGEDOOR_SCENE_STAGE_FIELD_RESOLVER_H_
#define STAGEDOOR_SCENE_STAGE_FIELD_RESOLVER_H_

#include "base/request_context.h"
#include "scene/stage/metadata.h"
#include "scene/stage/prim.h"
#include "scene/values/value.h"

namespace stagedoor {

// Translates a field value from the terms of its layer to those of the stage. Time codes are mapped
// by the composed layer offset, path expressions to the namespace of the stage; asset paths are
// evaluated and resolved. OpenUSD does the same within UsdStage when it reads metadata (Core
// Specification 12.2, "Metadata Resolution").
//
// A ResolveField functor for the metadata of a prim and its properties. Borrows the prim's stage,
// which must outlive it.
class FieldResolver {
 public:
  explicit FieldResolver(const Prim& prim) : prim_(prim) {}

  Value operator()(RequestContext& context, Value value, const SpecHandle& site) const;
  // Resolves asset paths only, for values that are already in stage time.
  Value ResolveAssets(RequestContext& context, Value value, const PrimSpecHandle& site) const;
  // As above, for paths authored in `layer`, with the expression variables of `stack`.
  Value ResolveAssets(RequestContext& context, Value value, const Layer& layer,
                      const LayerStack& stack) const;

 private:
  const Prim prim_;
};

// Like FieldResolver, for values to be written to another layer: asset paths are evaluated and
// anchored to their layer, but not resolved.
class FieldAnchorer {
 public:
  explicit FieldAnchorer(const Prim& prim) : prim_(prim) {}

  Value operator()(RequestContext& context, Value value, const SpecHandle& site) const;
  Value Anchor(RequestContext& context, Value value, const Layer& layer,
               const LayerStack& stack) const;

 private:
  const Prim prim_;
};

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_STAGE_FIELD_RESOLVER_H_

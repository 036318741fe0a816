#ifndef STAGEDOOR_SCENE_COMPOSITION_OUTER_CONTEXT_H_
#define STAGEDOOR_SCENE_COMPOSITION_OUTER_CONTEXT_H_

#include <atomic>
#include <memory>

#include "base/reservation.h"
#include "scene/composition/arc_path.h"
#include "scene/composition/map_function.h"
#include "scene/composition/prim_index.h"

namespace stagedoor {

// The surroundings of a shared tree at a site. See the glossary of shared_index.h.
//
// An ArcPath, and the mapping from the tree's namespace to the stage's. Immutable, thread-safe;
// shared by all PrimIndexRefs that are reached by it.
class OuterContext final : public StageMapFunction {
 public:
  // `memory`, which may be null, is charged with the context.
  OuterContext(MapFunction map, ArcPath arc_path, MemoryPool* memory);
  // For a tree in a tree: `inner` starts in the tree that `outer` leads to.
  OuterContext(std::shared_ptr<const OuterContext> outer,
               std::shared_ptr<const OuterContext> inner);
  ~OuterContext();

  // The arc path from the stage, also if the context is that of a proxy. For a tree in a tree, the
  // two arc paths are joined on first use.
  const ArcPath& arc_path() const;

  static const OuterContext* Of(const PrimIndexRef& ref) {
    return static_cast<const OuterContext*>(ref.outer.get());
  }
  // A context that applies `inner` and then `outer`, either of which may be null.
  static std::shared_ptr<const OuterContext> Combine(std::shared_ptr<const OuterContext> outer,
                                                     std::shared_ptr<const OuterContext> inner);
  // The context of the proxy for the sites that `outer` leads to; null if there can be none,
  // such as where the chain has variants.
  static std::shared_ptr<const OuterContext> ForProxy(
      const std::shared_ptr<const OuterContext>& outer);

 private:
  OuterContext(const OuterContext* real, MapFunction map, Path proxy_path);
  ArcPath Join() const;

  const OuterContext* const real_ = nullptr;  // the owner of a proxy's context
  const std::shared_ptr<const OuterContext> outer_, inner_;
  mutable std::atomic<const ArcPath*> arc_path_ = nullptr;
  mutable std::atomic<const OuterContext*> proxy_context_ = nullptr;
  mutable Reservation charge_;
};

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_COMPOSITION_OUTER_CONTEXT_H_

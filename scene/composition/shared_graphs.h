#ifndef STAGEDOOR_SCENE_COMPOSITION_SHARED_GRAPHS_H_
#define STAGEDOOR_SCENE_COMPOSITION_SHARED_GRAPHS_H_

#include "scene/composition/outer_context.h"
#include "scene/composition/prim_index.h"
#include "scene/composition/prim_index_graph.h"

namespace stagedoor {

// The graphs of prims in shared trees, as indexing needs them. See the glossary of shared_index.h.

// The graph of a prim as OpenUSD would have it, with the chain above the shared root, from which a
// site composes the children for itself.
PrimIndexGraph FullGraph(const PrimIndexRef& ref);
// The graph of a prim of a tree as seen from a proxy.
PrimIndexGraph ProxyGraph(const PrimIndex& index, const OuterContext& proxy);

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_COMPOSITION_SHARED_GRAPHS_H_

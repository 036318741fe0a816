#ifndef STAGEDOOR_SCENE_COMPOSITION_ARC_PATH_H_
#define STAGEDOOR_SCENE_COMPOSITION_ARC_PATH_H_

#include <cstddef>
#include <memory>
#include <vector>

#include "base/heap_costs.h"
#include "scene/composition/prim_index.h"

namespace stagedoor {

// The way from the stage to a shared tree. See the glossary of shared_index.h.
//
// The arcs by which a tree is reached from the stage.
struct ArcPath {
  // The nodes above the shared root, strongest first, at the site where sharing began.
  std::vector<PrimIndexNode> chain;
  PrimIndexNode target;         // the node that became the shared root
  std::vector<Path> instances;  // the namespace ancestors of the tree that are instances
  // Keeps the nodes' layer stacks alive. Null in a joined arc path, whose parts keep them.
  std::shared_ptr<const LayerStackSet> stacks;

  size_t byte_size() const {
    return sizeof(*this) + chain.capacity() * sizeof(PrimIndexNode) +
           instances.capacity() * sizeof(Path) + 3 * kHeapBlockBytes;
  }
};

// The DepthBelowIntroduction of a node of an arc path.
int DepthBelow(const ArcPath& arc_path, const PrimIndexNode& node);

// A restricted_depth at path `from`, counted for the path `to` instead.
size_t Rebase(size_t restricted, Path from, Path to);

// Whether two arc paths lead to the same shared root by the same steps, so that one proxy serves
// both, opinions of their layer stacks aside.
bool SameSteps(const ArcPath& a, const ArcPath& b);

// The path of a prim of the tree below the path of a proxy.
Path ProxyPath(Path path, Path prefix);

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_COMPOSITION_ARC_PATH_H_

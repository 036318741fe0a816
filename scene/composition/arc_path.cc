#include "scene/composition/arc_path.h"

#include <algorithm>

#include "scene/composition/prim_index_graph.h"

namespace stagedoor {
namespace {

// Whether two nodes on different arc paths are reached by the same kind of arc. Their paths may
// differ, and with them the depths of introduction, which therefore count from below.
bool SameStep(const ArcPath& a, const PrimIndexNode& x, const ArcPath& b, const PrimIndexNode& y) {
  return x.arc == y.arc && x.parent == y.parent && x.origin == y.origin && x.inert == y.inert &&
         x.sibling == y.sibling && DepthBelow(a, x) == DepthBelow(b, y) &&
         x.due_to_ancestor == y.due_to_ancestor &&
         Rebase(x.restricted_depth, x.path, a.target.path) ==
             Rebase(y.restricted_depth, y.path, b.target.path) &&
         x.map_to_parent.offset() == y.map_to_parent.offset();
}

}  // namespace

int DepthBelow(const ArcPath& arc_path, const PrimIndexNode& node) {
  if (node.parent < 0) return 0;
  return NamespaceDepth(arc_path.chain[static_cast<size_t>(node.parent)].path) - node.depth;
}

size_t Rebase(size_t restricted, Path from, Path to) {
  if (restricted == 0) return 0;
  const size_t depth = restricted + to.depth();
  return depth > from.depth() ? depth - from.depth() : 1;
}

bool SameSteps(const ArcPath& a, const ArcPath& b) {
  if (a.chain.size() != b.chain.size() || a.target.path != b.target.path) return false;
  for (size_t i = 0; i < a.chain.size(); ++i) {
    if (!SameStep(a, a.chain[i], b, b.chain[i])) return false;
  }
  // Where the target is mapped to differs between places; what is mapped must not.
  const auto same_source = [](const auto& p, const auto& q) {
    return p.first == q.first && p.second.empty() == q.second.empty();
  };
  return SameStep(a, a.target, b, b.target) &&
         std::ranges::equal(a.target.map_to_parent.pairs(), b.target.map_to_parent.pairs(),
                            same_source);
}

Path ProxyPath(Path path, Path prefix) {
  return path.ReplacePrefix(Path::AbsoluteRoot(), prefix, /*fix_targets=*/false);
}

}  // namespace stagedoor

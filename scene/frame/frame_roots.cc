#include "scene/frame/frame_roots.h"

#include <algorithm>
#include <functional>
#include <utility>

#include "base/pacer.h"

namespace stagedoor {
namespace {

// The data of a prim's ancestors and itself. Siblings are next to each other in memory, so paths
// compare as in a walk.
std::vector<const PrimData*> WayTo(const Prim& prim) {
  std::vector<const PrimData*> way;
  for (Prim at = prim; at.valid(); at = at.parent()) way.push_back(&at.data());
  std::reverse(way.begin(), way.end());
  return way;
}

}  // namespace

Subtrees::Subtrees(const std::vector<Prim>& roots) {
  for (const Prim& root : roots) {
    if (!IsRoot(root)) roots_.Add(root, true);
  }
}

bool Subtrees::Contain(const Prim& prim) const {
  if (empty()) return false;
  for (Prim at = prim; at.valid(); at = at.parent()) {
    if (IsRoot(at)) return true;
  }
  return false;
}

std::vector<Prim> RootsToWalk(RequestContext& context, const std::vector<Prim>& roots,
                              const Subtrees& excluded) {
  const Subtrees all(roots);
  std::vector<std::pair<std::vector<const PrimData*>, Prim>> kept;
  Pacer pacer(context);
  for (const Prim& root : roots) {
    auto way = WayTo(root);
    if (!pacer.Go(static_cast<int64_t>(3 * way.size()))) break;
    if (all.Contain(root.parent()) || excluded.Contain(root)) continue;
    kept.emplace_back(std::move(way), root);
  }
  std::sort(kept.begin(), kept.end(), [](const auto& a, const auto& b) {
    return std::lexicographical_compare(a.first.begin(), a.first.end(), b.first.begin(),
                                        b.first.end(), std::less<const PrimData*>());
  });
  std::vector<Prim> sorted;
  for (auto& [way, root] : kept) {
    if (sorted.empty() || !(sorted.back() == root)) sorted.push_back(root);
  }
  return sorted;
}

}  // namespace stagedoor

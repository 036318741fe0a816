// PrimIndexer: inherits and specializes (Core Specification, 10.3.2.3 and 10.3.2.4), and the arcs
// that they imply in the layer stacks upstream.
#include <cmath>

#include "base/strings.h"
#include "scene/composition/prim_indexer.h"
#include "scene/values/layer_offset.h"

namespace stagedoor {
namespace {

// The cost of composing a mapping, in visits of a node.
constexpr size_t kItemsPerMapping = 256;

// The storage path of an implied class: if the node that it is implied at is in a variant, so is
// the class. Corresponds to _DetermineInheritPath.
Path ImpliedPath(Path parent, Path class_path, const MapFunction& transfer) {
  const Path mapped = transfer.MapSourceToTarget(class_path.StripVariantSelections());
  if (mapped.empty() || !parent.ContainsVariantSelection()) return mapped;
  Path variant = parent;
  while (!variant.IsVariantSelection()) variant = variant.Parent();
  return mapped.ReplacePrefix(variant.StripVariantSelections(), variant);
}

}  // namespace

void PrimIndexer::EvaluateClasses(NodeId node, ArcType type) {
  if (!graph_[node].contributes()) return;
  const GraphNode& n = graph_[node];
  const Token field = type == ArcType::kInherit ? Fields().inheritPaths : Fields().specializes;
  size_t items = 0;
  const std::vector<Path> paths =
      ComposeSitePaths(*n.stack, n.specs, field, n.path.StripVariantSelections(), &items);
  budget_.SpendOnScan(items * kItemsPerListItem);
  for (size_t i = 0; i < paths.size() && !full_ && !budget_.stopped(); ++i) {
    const Path path = paths[i];
    if (path.empty()) continue;
    if (!path.IsPrim() || path.ContainsVariantSelection()) {
      AddError(CompositionErrorType::kInvalidPrimPath,
               Concat("the ", ArcTypeName(type), " arc to <", path.ToString(),
                      "> must target a prim; use a path without variant selections"));
      continue;
    }
    // 10.3.2.3.1: all paths outside of the class map to themselves.
    const MapFunction map =
        MapOfArc(path, graph_[node].path, *graph_[node].stack, LayerOffset()).WithRootIdentity();
    AddClassBasedArc(path, type, node, node, map, static_cast<int>(i), Site());
  }
}

NodeId PrimIndexer::FindClassChild(NodeId parent, const Site& site, ArcType type, NodeId origin,
                                   const MapFunction& map) const {
  if (OuterArc(parent) != ArcType::kRelocate) return graph_.FindChild(parent, site);
  // Implied classes below relocates are at sites that need not mean anything, so that different
  // ones may collide; their mappings and depths tell them apart.
  const int depth = graph_.DepthBelowIntroduction(origin);
  for (const NodeId child : graph_.Children(parent)) {
    const GraphNode& n = graph_[child];
    if (n.arc == type && graph_.DepthBelowIntroduction(n.origin) == depth && n.to_parent == map) {
      return child;
    }
  }
  return kNoNode;
}

// A class contributes once, however many arcs lead to it: an existing node is returned, so that its
// own classes are implied from there.
NodeId PrimIndexer::AddClassBasedArc(Path path, ArcType type, NodeId parent, NodeId origin,
                                     const MapFunction& map, int number, const Site& ignored) {
  if (path.empty()) return kNoNode;     // no error: the class has no path in this namespace
  if (!SpendScanned()) return kNoNode;  // long lists of existing classes add no task that would
  const Site site{graph_[parent].stack, path};
  if (const NodeId child = FindClassChild(parent, site, type, origin, map); child != kNoNode) {
    const bool implied_to_root = type == ArcType::kSpecialize && parent == 0 && parent != origin;
    if (!implied_to_root || graph_.Compare(origin, graph_[child].origin) >= 0) return child;
    graph_.SetInertBelow(child);  // the stronger origin replaces it
  }
  if (type == ArcType::kSpecialize && (parent != 0 || request_.frame)) {
    return AddSpecializesPlaceholder(type, parent, origin, site, map, number);
  }
  // Below relocates and variants, an implied class may be at the site of the class that implies it
  // or of its instance. Its opinions would count twice, but the node is needed to imply the class
  // further.
  ArcOptions options;
  options.contributes = path != graph_[parent].path && !(site == ignored);
  options.skip_duplicates = options.contributes;
  options.ancestral = options.contributes && path.depth() != 1;
  return AddArc(type, parent, origin, site, map, number, options);
}

// 10.4.1: opinions of specializes are weaker than all others. They are therefore in a copy below
// the root of the whole index, where specialize is the weakest type of arc. The node where the arc
// is authored has none. A nested index has no such root, so it adds placeholders only.
NodeId PrimIndexer::AddSpecializesPlaceholder(ArcType type, NodeId parent, NodeId origin,
                                              const Site& site, const MapFunction& map,
                                              int number) {
  ArcOptions options;
  options.contributes = false;
  options.tasks = 0;
  const NodeId placeholder = AddArc(type, parent, origin, site, map, number, options);
  if (request_.frame || placeholder == kNoNode || IsRelocatePlaceholder(placeholder)) {
    return placeholder;
  }
  const NodeId propagated = PropagateToRoot(placeholder);
  // The copy is that of another arc to the same site. Its classes have been implied for that arc;
  // this one's parent still needs them.
  if (propagated != kNoNode && graph_[propagated].origin != placeholder) {
    AddNodeTasks(placeholder, kImpliedClasses);
  }
  return propagated;
}

NodeId PrimIndexer::PropagateToRoot(NodeId node) {
  const Site site = graph_[node].site();
  if (const NodeId child = graph_.FindChild(0, site); child != kNoNode) return child;
  ArcOptions options;
  options.skip_duplicates = true;
  options.ancestral = site.path.depth() != 1;
  // Whether instances share the copy depends on where the arc is, not on where the copy is.
  options.copy_ancestor_flag = true;
  const MapFunction map = graph_[node].to_root;
  return AddArc(graph_[node].arc, 0, node, site, map, graph_[node].sibling, options);
}

bool PrimIndexer::IsRelocatePlaceholder(NodeId node) const {
  const GraphNode& n = graph_[node];
  return n.parent != n.origin && graph_[n.parent].arc == ArcType::kRelocate &&
         graph_[n.parent].site() == n.site();
}

void PrimIndexer::PropagateSpecializesBelow(NodeId node) {
  // Placeholders below relocates are at sites that are not valid sources of opinions.
  if (!budget_.SpendOnScan(1) || IsRelocatePlaceholder(node)) return;
  if (graph_[node].arc == ArcType::kSpecialize) PropagateToRoot(node);
  for (const NodeId child : graph_.Children(node)) PropagateSpecializesBelow(child);
}

// Specialize is the weakest type of arc, so the copies are the last children of the root.
NodeId PrimIndexer::PropagatedSpecializes(NodeId node) const {
  if (graph_[node].arc != ArcType::kSpecialize) return kNoNode;
  for (NodeId c = graph_.root().last_child; c != kNoNode && graph_[c].arc == ArcType::kSpecialize;
       c = graph_[c].previous) {
    budget_.SpendOnScan(1);
    if (graph_[c].origin == node && graph_.IsPropagatedSpecializes(c)) return c;
  }
  return kNoNode;
}

bool PrimIndexer::HasClassChild(NodeId node) const {
  const NodeId copy = PropagatedSpecializes(node);
  for (NodeId c = graph_[copy != kNoNode ? copy : node].first_child; c != kNoNode;
       c = graph_[c].next) {
    budget_.SpendOnScan(1);
    if (IsClassBasedArc(graph_[c].arc)) return true;
  }
  return false;
}

// A hierarchy of classes is implied as a whole, from its instance on: implied one by one, the
// classes would be siblings rather than a chain. If the instance is itself in an inherited prim,
// the start is the instance of that one, unless the class is a child of the inherited prim and as
// such is inherited with it. OpenUSD's museum cases TrickyNestedClasses show both.
NodeId PrimIndexer::FindStartOfImpliedClasses(NodeId node) const {
  NodeId start = node;
  while (IsClassBasedArc(graph_[start].arc)) {
    const auto [instance, first_class] = graph_.StartOfClassHierarchy(start);
    start = instance;
    if (IsClassBasedArc(graph_[instance].arc) &&
        graph_[first_class].path.HasPrefix(graph_.PathAtIntroduction(instance))) {
      break;
    }
  }
  return start;
}

// Classes of one chain have the same start, so the walk is taken once a chain. Otherwise a chain of
// n classes would cost n squared steps.
NodeId PrimIndexer::StartOfImpliedClasses(NodeId node) {
  const auto known = [&](NodeId n) -> NodeId& {
    if (implied_starts_.size() < graph_.size()) {
      implied_starts_.resize(graph_.size() + graph_.size() / 2, kNoNode);
    }
    return implied_starts_[static_cast<size_t>(n)];
  };
  if (known(node) != kNoNode) return known(node);
  const NodeId parent = graph_[node].parent;
  const bool goes_on = parent != kNoNode && IsClassBasedArc(graph_[node].arc) &&
                       IsClassBasedArc(graph_[parent].arc) &&
                       !graph_.IsPropagatedSpecializes(node) &&
                       !graph_.IsPropagatedSpecializes(parent) &&
                       graph_.DepthBelowIntroduction(node) == graph_.DepthBelowIntroduction(parent);
  const NodeId start =
      goes_on && known(parent) != kNoNode ? known(parent) : FindStartOfImpliedClasses(node);
  return known(node) = start;
}

void PrimIndexer::EvaluateImpliedClasses(NodeId node) {
  const NodeId parent = graph_[node].parent;
  if (parent == kNoNode || !HasClassChild(node)) return;
  // A reference maps only its target. Global classes are meant to reach upstream nevertheless
  // (10.3.2.3), so their paths map to themselves.
  const MapFunction transfer = graph_[node].to_parent.WithRootIdentity();
  ImplyClasses(parent, node, transfer, /*start=*/true);
}

NodeId PrimIndexer::FindImplied(NodeId target, NodeId origin) const {
  for (NodeId c = graph_[target].first_child; c != kNoNode; c = graph_[c].next) {
    budget_.SpendOnScan(1);
    if (graph_[c].origin == origin && !graph_.IsPropagatedSpecializes(c)) return c;
  }
  return kNoNode;
}

// Relocate nodes get no classes: these would only have to be implied further, so they go to the
// parent at once. Classes that relocate nodes have from their nested index still need a task of
// their own.
void PrimIndexer::ImplyClasses(NodeId target, NodeId source, const MapFunction& transfer,
                               bool start) {
  if (!budget_.SpendOnScan(kItemsPerMapping)) return;
  if (graph_[target].arc == ArcType::kRelocate) {
    const MapFunction up = graph_[target].to_parent.WithRootIdentity().Compose(transfer);
    ImplyClasses(graph_[target].parent, source, up, start);
    AddTask({kImpliedClasses, target, Path(), {}});
    return;
  }
  const NodeId copy = PropagatedSpecializes(source);
  for (const NodeId child : graph_.Children(copy != kNoNode ? copy : source)) {
    if (!budget_.SpendOnScan(1)) return;
    if (!IsClassBasedArc(graph_[child].arc)) continue;
    // If `target` inherits `source`, a class that `source` inherits continues the chain and is not
    // a class of `target` too. Classes introduced at another depth are.
    if (start && IsClassBasedArc(graph_[source].arc) &&
        graph_.DepthBelowIntroduction(source) == graph_.DepthBelowIntroduction(child)) {
      continue;
    }
    NodeId implied = FindImplied(target, child);
    if (implied == kNoNode) {
      if (!budget_.SpendOnScan(kItemsPerMapping)) return;
      const MapFunction map = MapFunction::ImpliedClass(transfer, graph_[child].to_parent);
      const Path path = ImpliedPath(graph_[target].path, graph_[child].path, transfer);
      implied = AddClassBasedArc(path, graph_[child].arc, target, child, map, graph_[child].sibling,
                                 graph_[child].site());
    }
    if (implied == kNoNode || !HasClassChild(child)) continue;
    if (const NodeId c = PropagatedSpecializes(implied); c != kNoNode) implied = c;
    ImplyClasses(implied, child, transfer, /*start=*/false);
  }
}

}  // namespace stagedoor

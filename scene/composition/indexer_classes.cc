// PrimIndexer: inherits and specializes, and what they imply in the layer stacks that bring them
// in.
#include <cmath>

#include "base/strings.h"
#include "scene/composition/prim_indexer.h"

namespace stagedoor {
namespace {

// What making a mapping costs, in looks at nodes.
constexpr size_t kItemsPerMapping = 256;

// The arc of a class seen from where `transfer` leads.
MapFunction ImpliedClassMap(const MapFunction& transfer, const MapFunction& class_map) {
  if (transfer.IsIdentity()) return class_map;
  // What neither is nor is below the class or its instance does not map to itself by way of both
  // namespaces, so the identity of the root stays outside.
  const MapFunction arc = class_map.WithoutRootIdentity();
  const MapFunction map = transfer.Compose(arc.Compose(transfer.Inverse()));
  // A class is in the time of its instance; what remains is rounding.
  return map.WithOffset(class_map.offset()).WithRootIdentity();
}

// Where an implied class is, in the storage (with variant selections) of the node it is implied at.
Path ImpliedPath(Path parent, Path class_path, const MapFunction& transfer) {
  const Path mapped = transfer.MapSourceToTarget(class_path.StripVariantSelections());
  if (mapped.empty() || !parent.ContainsVariantSelection()) return mapped;
  Path variant = parent;
  while (!variant.IsVariantSelection()) variant = variant.Parent();
  return mapped.ReplacePrefix(variant.StripVariantSelections(), variant);
}

}  // namespace

void PrimIndexer::EvaluateClasses(NodeId node, Arc type) {
  if (!graph_[node].contributes()) return;
  const GraphNode& n = graph_[node];
  const Token field = type == Arc::kInherit ? Fields().inheritPaths : Fields().specializes;
  size_t items = 0;
  const std::vector<Path> paths =
      ComposePaths(*n.stack, n.specs, field, n.path.StripVariantSelections(), &items);
  budget_.SpendOnScan(items * kItemsPerListItem);
  for (size_t i = 0; i < paths.size() && !full_ && !budget_.stopped(); ++i) {
    const Path path = paths[i];
    if (path.empty()) continue;
    if (!path.IsPrim() || path.ContainsVariantSelection()) {
      AddError(CompositionErrorType::kInvalidPrimPath,
               Concat("the ", ArcName(type), " of <", path.ToString(), "> must name a prim"));
      continue;
    }
    const MapFunction map =
        MapOfArc(path, graph_[node].path, *graph_[node].stack, LayerOffset()).WithRootIdentity();
    AddClassArc(path, type, node, node, map, static_cast<int>(i), Site());
  }
}

NodeId PrimIndexer::FindClassChild(NodeId parent, const Site& site, Arc type, NodeId origin,
                                   const MapFunction& map) const {
  if (OuterArc(parent) != Arc::kRelocate) return graph_.FindChild(parent, site);
  // Sites below relocations need not mean anything; the arcs tell.
  const int depth = graph_.DepthBelowIntroduction(origin);
  for (const NodeId child : graph_.Children(parent)) {
    const GraphNode& n = graph_[child];
    if (n.arc == type && graph_.DepthBelowIntroduction(n.origin) == depth && n.to_parent == map) {
      return child;
    }
  }
  return kNoNode;
}

// Adds a class arc or returns the one that is there.
NodeId PrimIndexer::AddClassArc(Path path, Arc type, NodeId parent, NodeId origin,
                                const MapFunction& map, int number, const Site& ignored) {
  if (path.empty()) return kNoNode;     // the class has no place in this namespace
  if (!SpendScanned()) return kNoNode;  // also where it finds one class after another
  const Site site{graph_[parent].stack, path};
  if (const NodeId child = FindClassChild(parent, site, type, origin, map); child != kNoNode) {
    const bool implied_to_root = type == Arc::kSpecialize && parent == 0 && parent != origin;
    if (!implied_to_root || graph_.Compare(origin, graph_[child].origin) >= 0) return child;
    graph_.SetInertBelow(child);  // the stronger origin replaces it
  }
  if (type == Arc::kSpecialize && (parent != 0 || request_.frame)) {
    return AddSpecializesPlaceholder(type, parent, origin, site, map, number);
  }
  // Below relocations and variants an implied class may be the very class it comes from: kept to be
  // implied further, without opinions.
  ArcOptions options;
  options.contributes = path != graph_[parent].path && !(site == ignored);
  options.skip_duplicates = options.contributes;
  options.ancestral = options.contributes && path.depth() != 1;
  return AddArc(type, parent, origin, site, map, number, options);
}

// Specializes are weaker than everything, so their opinions hang below the root of the whole index.
// Where the arc is stays a node without opinions.
NodeId PrimIndexer::AddSpecializesPlaceholder(Arc type, NodeId parent, NodeId origin,
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
  options.copy_ancestor_flag = true;
  const MapFunction map = graph_[node].to_root;
  return AddArc(graph_[node].arc, 0, node, site, map, graph_[node].sibling, options);
}

bool PrimIndexer::IsRelocatePlaceholder(NodeId node) const {
  const GraphNode& n = graph_[node];
  return n.parent != n.origin && graph_[n.parent].arc == Arc::kRelocate &&
         graph_[n.parent].site() == n.site();
}

void PrimIndexer::PropagateSpecializesBelow(NodeId node) {
  if (!budget_.SpendOnScan(1) || IsRelocatePlaceholder(node)) return;
  if (graph_[node].arc == Arc::kSpecialize) PropagateToRoot(node);
  for (const NodeId child : graph_.Children(node)) PropagateSpecializesBelow(child);
}

// A node's copy below the root, if it has one.
NodeId PrimIndexer::PropagatedSpecializes(NodeId node) const {
  if (graph_[node].arc != Arc::kSpecialize) return kNoNode;
  for (NodeId c = graph_.root().last_child; c != kNoNode && graph_[c].arc == Arc::kSpecialize;
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
    if (IsClassArc(graph_[c].arc)) return true;
  }
  return false;
}

// A chain of classes is implied as a whole, from its instance on; so are the classes of an
// inherited prim, unless they are children of that prim.
NodeId PrimIndexer::FindStartOfImpliedClasses(NodeId node) const {
  NodeId start = node;
  while (IsClassArc(graph_[start].arc)) {
    const auto [instance, first_class] = graph_.StartOfClassHierarchy(start);
    start = instance;
    if (IsClassArc(graph_[instance].arc) &&
        graph_[first_class].path.HasPrefix(graph_.PathAtIntroduction(instance))) {
      break;
    }
  }
  return start;
}

// The next class of a chain begins where the one before it does.
NodeId PrimIndexer::StartOfImpliedClasses(NodeId node) {
  const auto known = [&](NodeId n) -> NodeId& {
    if (implied_starts_.size() < graph_.size()) {
      implied_starts_.resize(graph_.size() + graph_.size() / 2, kNoNode);
    }
    return implied_starts_[static_cast<size_t>(n)];
  };
  if (known(node) != kNoNode) return known(node);
  const NodeId parent = graph_[node].parent;
  const bool goes_on = parent != kNoNode && IsClassArc(graph_[node].arc) &&
                       IsClassArc(graph_[parent].arc) && !graph_.IsPropagatedSpecializes(node) &&
                       !graph_.IsPropagatedSpecializes(parent) &&
                       graph_.DepthBelowIntroduction(node) == graph_.DepthBelowIntroduction(parent);
  const NodeId start =
      goes_on && known(parent) != kNoNode ? known(parent) : FindStartOfImpliedClasses(node);
  return known(node) = start;
}

void PrimIndexer::EvaluateImpliedClasses(NodeId node) {
  const NodeId parent = graph_[node].parent;
  if (parent == kNoNode || !HasClassChild(node)) return;
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

// Gives `target` the classes below `source`.
void PrimIndexer::ImplyClasses(NodeId target, NodeId source, const MapFunction& transfer,
                               bool start) {
  if (!budget_.SpendOnScan(kItemsPerMapping)) return;
  if (graph_[target].arc == Arc::kRelocate) {
    const MapFunction up = graph_[target].to_parent.WithRootIdentity().Compose(transfer);
    ImplyClasses(graph_[target].parent, source, up, start);
    AddTask({kImpliedClasses, target, Path(), {}});
    return;
  }
  const NodeId copy = PropagatedSpecializes(source);
  for (const NodeId child : graph_.Children(copy != kNoNode ? copy : source)) {
    if (!budget_.SpendOnScan(1)) return;
    if (!IsClassArc(graph_[child].arc)) continue;
    // A class that the source class continues with is not one of the target's.
    if (start && IsClassArc(graph_[source].arc) &&
        graph_.DepthBelowIntroduction(source) == graph_.DepthBelowIntroduction(child)) {
      continue;
    }
    NodeId implied = FindImplied(target, child);
    if (implied == kNoNode) {
      if (!budget_.SpendOnScan(kItemsPerMapping)) return;
      const MapFunction map = ImpliedClassMap(transfer, graph_[child].to_parent);
      const Path path = ImpliedPath(graph_[target].path, graph_[child].path, transfer);
      implied = AddClassArc(path, graph_[child].arc, target, child, map, graph_[child].sibling,
                            graph_[child].site());
    }
    if (implied == kNoNode || !HasClassChild(child)) continue;
    if (const NodeId c = PropagatedSpecializes(implied); c != kNoNode) implied = c;
    ImplyClasses(implied, child, transfer, /*start=*/false);
  }
}

}  // namespace stagedoor

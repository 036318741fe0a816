// Which of two arcs is stronger (Core Specification, "Strength Ordering").
#include "absl/container/inlined_vector.h"
#include "scene/composition/prim_graph.h"

namespace stagedoor {
namespace {

int Order(int a, int b) { return a < b ? -1 : (a > b ? 1 : 0); }

// The first of two nodes that a walk in strength order meets.
int FirstMet(const PrimGraph& graph, NodeId a, NodeId b) {
  NodeId n = 0;
  while (n != kNoNode) {
    if (n == a) return -1;
    if (n == b) return 1;
    if (graph[n].first_child != kNoNode) {
      n = graph[n].first_child;
      continue;
    }
    while (n != kNoNode && graph[n].next == kNoNode) n = graph[n].parent;
    if (n != kNoNode) n = graph[n].next;
  }
  return 0;
}

bool IsAuthored(const GraphNode& node) { return node.origin == node.parent; }

bool IsImplied(const PrimGraph& graph, const GraphNode& node) {
  return !(node.site() == graph[node.origin].site());
}

// Namespace depth of the instance of the class hierarchy that a node belongs to.
int HierarchyDepth(const PrimGraph& graph, NodeId id) {
  if (!IsClassArc(graph[id].arc)) return 0;
  NodeId instance = graph.StartOfClassHierarchy(id).first;
  while (instance != kNoNode && graph[instance].arc == Arc::kRelocate) {
    instance = graph[instance].parent;
  }
  return instance == kNoNode ? 0 : graph[instance].depth;
}

// Whether `id` came about below `above`; the copy of a specializes arc counts as being where the
// arc is.
bool IsBelow(const PrimGraph& graph, NodeId above, NodeId id) {
  NodeId n = id;
  while (n != kNoNode && n != above) {
    n = graph.IsPropagatedSpecializes(n) ? graph[n].origin : graph[n].parent;
  }
  return n != kNoNode;
}

}  // namespace

int PrimGraph::CompareSiblings(NodeId a, NodeId b) const {
  if (a == b) return 0;
  const GraphNode& na = (*this)[a];
  const GraphNode& nb = (*this)[b];
  if (na.arc != nb.arc) return na.arc < nb.arc ? -1 : 1;
  if (na.arc == Arc::kSpecialize) {
    bool decided = false;
    const int order = CompareSpecializes(a, b, &decided);
    if (decided) return order;
  } else {
    if (na.depth != nb.depth) return na.depth > nb.depth ? -1 : 1;  // the deeper is the stronger
    if (na.origin != nb.origin) {
      if (const int order = FirstMet(*this, na.origin, nb.origin); order != 0) return order;
    }
  }
  return Order(na.sibling, nb.sibling);
}

// Copies and implications of specializes arcs meet below the root; see IsPropagatedSpecializes.
int PrimGraph::CompareSpecializes(NodeId a, NodeId b, bool* decided) const {
  const GraphNode& na = (*this)[a];
  const GraphNode& nb = (*this)[b];
  const NodeId root_a = OriginRoot(a);
  const NodeId root_b = OriginRoot(b);
  *decided = true;
  // What an origin specializes is weaker than it, however deep it was introduced.
  const bool nested = IsBelow(*this, root_a, root_b) || IsBelow(*this, root_b, root_a);
  if (!nested && na.depth != nb.depth) return na.depth > nb.depth ? -1 : 1;
  if (na.origin == nb.origin) {
    if (!IsAuthored(na) && !IsAuthored(nb)) {
      const bool implied_a = IsImplied(*this, na);
      if (implied_a != IsImplied(*this, nb)) return implied_a ? -1 : 1;
      return 0;
    }
    *decided = false;  // arcs of one list
    return 0;
  }
  if (root_a != root_b) return FirstMet(*this, root_a, root_b);
  return CompareSameOriginRoot(a, b);
}

int PrimGraph::CompareSameOriginRoot(NodeId a, NodeId b) const {
  const GraphNode& na = (*this)[a];
  const GraphNode& nb = (*this)[b];
  const int depth_a = IsAuthored(na) ? 0 : HierarchyDepth(*this, na.origin);
  const int depth_b = IsAuthored(nb) ? 0 : HierarchyDepth(*this, nb.origin);
  if (depth_a != depth_b) return Order(depth_a, depth_b);
  // The longer the chain of origins, the nearer to the root an implied opinion is.
  int steps_a = 0, steps_b = 0;
  OriginRoot(a, &steps_a);
  OriginRoot(b, &steps_b);
  if (steps_a != steps_b) return Order(steps_b, steps_a);
  const bool local = na.stack == root().stack && nb.stack == root().stack;
  if (local && !IsAuthored(na) && !IsAuthored(nb)) {
    const bool implied_a = IsImplied(*this, na);
    if (implied_a != IsImplied(*this, nb)) return implied_a ? -1 : 1;
  }
  return FirstMet(*this, na.origin, nb.origin);
}

int PrimGraph::Compare(NodeId a, NodeId b) const {
  if (a == b) return 0;
  absl::InlinedVector<NodeId, 16> up_a, up_b;
  for (NodeId n = a; n != kNoNode; n = (*this)[n].parent) up_a.push_back(n);
  for (NodeId n = b; n != kNoNode; n = (*this)[n].parent) up_b.push_back(n);
  auto it_a = up_a.rbegin();
  auto it_b = up_b.rbegin();
  while (it_a != up_a.rend() && it_b != up_b.rend() && *it_a == *it_b) ++it_a, ++it_b;
  if (it_a == up_a.rend()) return -1;  // a is above b
  if (it_b == up_b.rend()) return 1;
  return CompareSiblings(*it_a, *it_b);
}

}  // namespace stagedoor

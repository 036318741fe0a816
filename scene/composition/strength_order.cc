// PrimIndexGraph: which of two nodes is stronger (Core Specification, 10.4 Strength Ordering).
// Corresponds to OpenUSD's strengthOrdering.cpp.
#include "scene/composition/prim_index_graph.h"

namespace stagedoor {
namespace {

int Order(int a, int b) { return a < b ? -1 : (a > b ? 1 : 0); }

// Finds where the paths from two nodes up to the root meet.
class WaysUp {
 public:
  WaysUp(const PrimIndexGraph& graph, NodeId a, NodeId b) : below_a_(a), below_b_(b) {
    size_t up_a = Length(graph, a), up_b = Length(graph, b);
    nodes_ = up_a + up_b;
    for (; up_a > up_b; --up_a) Up(graph, &a, &below_a_);
    for (; up_b > up_a; --up_b) Up(graph, &b, &below_b_);
    a_is_above_ = a == b && a == below_a_;
    b_is_above_ = a == b && b == below_b_;
    while (a != b) Up(graph, &a, &below_a_), Up(graph, &b, &below_b_);
  }
  // Whether a node is the other one or above it.
  bool a_is_above() const { return a_is_above_; }
  bool b_is_above() const { return b_is_above_; }
  // The siblings, with the same parent, at or above the two nodes, if neither is above the other.
  NodeId below_a() const { return below_a_; }
  NodeId below_b() const { return below_b_; }
  size_t nodes() const { return nodes_; }

 private:
  static size_t Length(const PrimIndexGraph& graph, NodeId n) {
    size_t length = 0;
    for (; n != kNoNode; n = graph[n].parent) ++length;
    return length;
  }
  static void Up(const PrimIndexGraph& graph, NodeId* n, NodeId* below) {
    *below = *n;
    *n = graph[*n].parent;
  }
  NodeId below_a_, below_b_;
  bool a_is_above_, b_is_above_;
  size_t nodes_ = 0;
};

// Whether the arc is authored at its parent, rather than implied or copied there.
bool IsAuthored(const GraphNode& node) { return node.origin == node.parent; }

// Whether a specializes node below the root is implied there by its origin; otherwise it is a
// copy, which is at the site of its origin.
bool IsImplied(const PrimIndexGraph& graph, const GraphNode& node) {
  return !(node.site() == graph[node.origin].site());
}

// The namespace depth of the instance of the class hierarchy that a node belongs to. A relocate is
// not an instance but marks a change of namespace, so it is skipped.
int HierarchyDepth(const PrimIndexGraph& graph, NodeId id) {
  if (!IsClassBasedArc(graph[id].arc)) return 0;
  NodeId instance = graph.StartOfClassHierarchy(id).first;
  while (instance != kNoNode && graph[instance].arc == ArcType::kRelocate) {
    instance = graph[instance].parent;
  }
  return instance == kNoNode ? 0 : graph[instance].depth;
}

// Whether `id` is at or below `above`, where a copy of a specializes arc counts as being at the
// placeholder of the arc.
bool IsBelow(const PrimIndexGraph& graph, NodeId above, NodeId id) {
  NodeId n = id;
  while (n != kNoNode && n != above) {
    n = graph.IsPropagatedSpecializes(n) ? graph[n].origin : graph[n].parent;
  }
  return n != kNoNode;
}

}  // namespace

// OpenUSD walks the whole graph for this. The siblings at which the paths up to the root meet give
// the same answer.
int PrimIndexGraph::FirstMet(NodeId a, NodeId b) const {
  if (a == kNoNode || b == kNoNode) return a == b ? 0 : (a == kNoNode ? 1 : -1);
  const WaysUp ways(*this, a, b);
  scanned_ += ways.nodes();
  if (ways.a_is_above() || ways.b_is_above()) return ways.a_is_above() ? -1 : 1;
  // Along the list from both siblings at once, so that the distance between them or to the end of
  // the list bounds the steps, whichever is less.
  NodeId after_a = ways.below_a(), after_b = ways.below_b();
  while (true) {
    ++scanned_;
    after_a = (*this)[after_a].next;
    if (after_a == ways.below_b() || after_a == kNoNode) return after_a == kNoNode ? 1 : -1;
    after_b = (*this)[after_b].next;
    if (after_b == ways.below_a() || after_b == kNoNode) return after_b == kNoNode ? -1 : 1;
  }
}

int PrimIndexGraph::CompareSiblings(NodeId a, NodeId b) const {
  if (a == b) return 0;
  const GraphNode& na = (*this)[a];
  const GraphNode& nb = (*this)[b];
  // LIVERPS: the enumerators are in strength order.
  if (na.arc != nb.arc) return na.arc < nb.arc ? -1 : 1;
  if (na.arc == ArcType::kSpecialize) {
    bool decided = false;
    const int order = CompareSpecializes(a, b, &decided);
    if (decided) return order;
  } else {
    if (na.depth != nb.depth) return na.depth > nb.depth ? -1 : 1;  // 10.4: deeper in namespace
    // An authored arc has its parent as its origin, which is met before the origins of implied
    // ones: so it is stronger, as 10.4 specifies.
    if (na.origin != nb.origin) {
      if (const int order = FirstMet(na.origin, nb.origin); order != 0) return order;
    }
  }
  return Order(na.sibling, nb.sibling);
}

// Below the root, specializes arcs authored at the prim meet those that are implied there and those
// that are copied from elsewhere in the graph.
int PrimIndexGraph::CompareSpecializes(NodeId a, NodeId b, bool* decided) const {
  const GraphNode& na = (*this)[a];
  const GraphNode& nb = (*this)[b];
  const NodeId root_a = OriginRoot(a);
  const NodeId root_b = OriginRoot(b);
  *decided = true;
  // 10.4.1: what a prim specializes is weaker than the prim. If one origin is below the other,
  // there is a specializes arc between them, which counts more than namespace depth.
  const bool nested = IsBelow(*this, root_a, root_b) || IsBelow(*this, root_b, root_a);
  if (!nested && na.depth != nb.depth) return na.depth > nb.depth ? -1 : 1;
  if (na.origin == nb.origin) {
    // One is implied and the other copied from the same arc. The implied one has the opinions of
    // the root layer stack, which are local here and therefore stronger.
    if (!IsAuthored(na) && !IsAuthored(nb)) {
      const bool implied_a = IsImplied(*this, na);
      if (implied_a != IsImplied(*this, nb)) return implied_a ? -1 : 1;
      return 0;
    }
    *decided = false;  // two arcs of one list
    return 0;
  }
  if (root_a != root_b) return FirstMet(root_a, root_b);
  return CompareSameOriginRoot(a, b);
}

int PrimIndexGraph::CompareSameOriginRoot(NodeId a, NodeId b) const {
  const GraphNode& na = (*this)[a];
  const GraphNode& nb = (*this)[b];
  const int depth_a = IsAuthored(na) ? 0 : HierarchyDepth(*this, na.origin);
  const int depth_b = IsAuthored(nb) ? 0 : HierarchyDepth(*this, nb.origin);
  if (depth_a != depth_b) return Order(depth_a, depth_b);
  // An opinion that was implied more often is nearer to the root of the graph, hence more local.
  int steps_a = 0, steps_b = 0;
  OriginRoot(a, &steps_a);
  OriginRoot(b, &steps_b);
  if (steps_a != steps_b) return Order(steps_b, steps_a);
  // As in CompareSpecializes, for inherited prims that specialize: the class implied in the root
  // layer stack is more local than the copy of one from below an implied inherit.
  const bool local = na.stack == root().stack && nb.stack == root().stack;
  if (local && !IsAuthored(na) && !IsAuthored(nb)) {
    const bool implied_a = IsImplied(*this, na);
    if (implied_a != IsImplied(*this, nb)) return implied_a ? -1 : 1;
  }
  return FirstMet(na.origin, nb.origin);
}

int PrimIndexGraph::Compare(NodeId a, NodeId b) const {
  if (a == b) return 0;
  const WaysUp ways(*this, a, b);
  scanned_ += ways.nodes();
  if (ways.a_is_above()) return -1;
  if (ways.b_is_above()) return 1;
  return CompareSiblings(ways.below_a(), ways.below_b());
}

}  // namespace stagedoor

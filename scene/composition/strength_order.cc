// Which of two arcs is stronger (Core Specification, "Strength Ordering").
#include "scene/composition/prim_graph.h"

namespace stagedoor {
namespace {

int Order(int a, int b) { return a < b ? -1 : (a > b ? 1 : 0); }

// Where the ways from two nodes to the root part.
class WaysUp {
 public:
  WaysUp(const PrimGraph& graph, NodeId a, NodeId b) : below_a_(a), below_b_(b) {
    size_t up_a = Length(graph, a), up_b = Length(graph, b);
    nodes_ = up_a + up_b;
    for (; up_a > up_b; --up_a) Up(graph, &a, &below_a_);
    for (; up_b > up_a; --up_b) Up(graph, &b, &below_b_);
    a_is_above_ = a == b && a == below_a_;
    b_is_above_ = a == b && b == below_b_;
    while (a != b) Up(graph, &a, &below_a_), Up(graph, &b, &below_b_);
  }
  // At or above the other one.
  bool a_is_above() const { return a_is_above_; }
  bool b_is_above() const { return b_is_above_; }
  // The siblings at which the ways part, if neither is above the other.
  NodeId below_a() const { return below_a_; }
  NodeId below_b() const { return below_b_; }
  size_t nodes() const { return nodes_; }

 private:
  static size_t Length(const PrimGraph& graph, NodeId n) {
    size_t length = 0;
    for (; n != kNoNode; n = graph[n].parent) ++length;
    return length;
  }
  static void Up(const PrimGraph& graph, NodeId* n, NodeId* below) {
    *below = *n;
    *n = graph[*n].parent;
  }
  NodeId below_a_, below_b_;
  bool a_is_above_, b_is_above_;
  size_t nodes_ = 0;
};

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

// Looks at the nodes above both, and at the siblings where their ways part.
int PrimGraph::FirstMet(NodeId a, NodeId b) const {
  if (a == kNoNode || b == kNoNode) return a == b ? 0 : (a == kNoNode ? 1 : -1);
  const WaysUp ways(*this, a, b);
  scanned_ += ways.nodes();
  if (ways.a_is_above() || ways.b_is_above()) return ways.a_is_above() ? -1 : 1;
  // From both siblings on, so that the nearer end decides.
  NodeId after_a = ways.below_a(), after_b = ways.below_b();
  while (true) {
    ++scanned_;
    after_a = (*this)[after_a].next;
    if (after_a == ways.below_b() || after_a == kNoNode) return after_a == kNoNode ? 1 : -1;
    after_b = (*this)[after_b].next;
    if (after_b == ways.below_a() || after_b == kNoNode) return after_b == kNoNode ? -1 : 1;
  }
}

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
      if (const int order = FirstMet(na.origin, nb.origin); order != 0) return order;
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
  if (root_a != root_b) return FirstMet(root_a, root_b);
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
  return FirstMet(na.origin, nb.origin);
}

int PrimGraph::Compare(NodeId a, NodeId b) const {
  if (a == b) return 0;
  const WaysUp ways(*this, a, b);
  scanned_ += ways.nodes();
  if (ways.a_is_above()) return -1;
  if (ways.b_is_above()) return 1;
  return CompareSiblings(ways.below_a(), ways.below_b());
}

}  // namespace stagedoor

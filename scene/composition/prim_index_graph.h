#ifndef STAGEDOOR_SCENE_COMPOSITION_PRIM_INDEX_GRAPH_H_
#define STAGEDOOR_SCENE_COMPOSITION_PRIM_INDEX_GRAPH_H_

#include <cstdint>
#include <utility>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "scene/composition/arc_type.h"
#include "scene/composition/layer_stack.h"
#include "scene/composition/map_function.h"
#include "scene/composition/site_index.h"
#include "scene/composition/stack_spec.h"
#include "scene/layer/spec_tree.h"
#include "scene/paths/path.h"

namespace stagedoor {

inline constexpr NodeId kNoNode = -1;

using StackSpecs = absl::InlinedVector<StackSpec, 2>;
// Most prims have few nodes, for which lists of them take no memory of the heap.
using NodeList = absl::InlinedVector<NodeId, 8>;

// The prim specs of a site, strongest first. Corresponds to PcpComposeSitePrimSites.
StackSpecs FindSpecs(const LayerStack& stack, Path path);
// The specs of a child prim or of a variant, found below those of the parent.
StackSpecs FindChildSpecs(const LayerStack& stack, const StackSpecs& parent, Token name);
StackSpecs FindVariantSpecs(const LayerStack& stack, const StackSpecs& parent, Token set,
                            Token variant);

// The arc that joins a node to its parent. Corresponds to PcpArc.
struct Arc {
  ArcType type = ArcType::kRoot;
  NodeId parent = kNoNode;
  NodeId origin = kNoNode;  // the node that the arc is due to; not the parent for implied arcs
  MapFunction to_parent;
  int sibling = 0;  // number among the arcs of this type at the origin (siblingNumAtOrigin)
  int depth = 0;    // namespace depth at which the arc was introduced (namespaceDepth)
};

// A node; the comments name what PcpNodeRef calls it where that differs.
struct GraphNode {
  ArcType arc = ArcType::kRoot;
  bool inert = false;            // present for structure only; its opinions do not count
  bool culled = false;           // nothing in its subtree contributes; dropped from the result
  bool due_to_ancestor = false;  // the arc was introduced by a namespace ancestor
  bool direct = false;           // it, or a node above it, is due to an arc of this prim itself
                                 // (HasTransitiveDirectDependency)
  bool has_clips = false;        // value clips at this site or at a namespace ancestor of it
  NodeId parent = kNoNode;
  NodeId origin = kNoNode;
  NodeId first_child = kNoNode;
  NodeId last_child = kNoNode;
  NodeId next = kNoNode;
  NodeId previous = kNoNode;
  int sibling = 0;
  int depth = 0;
  // Paths of at least this depth get no opinions from this node; 0 if it is unrestricted
  // (SpecContributionRestrictedDepth).
  size_t restricted_depth = 0;
  const LayerStack* stack = nullptr;
  Path path;
  MapFunction to_parent;
  MapFunction to_root;
  StackSpecs specs;

  Site site() const { return {stack, path}; }
  bool has_specs() const { return !specs.empty(); }
  bool contributes() const { return !inert && !culled; }
};

// The depth of a path in namespace: variant selections are not counted. Corresponds to
// PcpNode_GetNonVariantPathElementCount.
int NamespaceDepth(Path path);

// The graph of a prim index under construction: sites joined by arcs, with siblings in strength
// order (Core Specification, 10.4 Strength Ordering).
//
// Corresponds to OpenUSD's PcpPrimIndex_Graph, GraphNode to its nodes, and a graph with a NodeId to
// PcpNodeRef. Nodes are numbered in the order of insertion; the number of a node never changes.
// Node 0 is the root. Not thread-safe.
class PrimIndexGraph {
 public:
  static constexpr size_t kMaxNodes = (1 << 15) - 1;

  void AddRoot(const Site& site);
  // Adds a node and finds its specs. kNoNode if the graph is full.
  NodeId InsertChild(const Site& site, const Arc& arc);
  // Moves the nodes of `other`, a nested index, into this graph; its root becomes a child of the
  // arc's parent. Corresponds to InsertChildSubgraph. kNoNode if the graph is full.
  NodeId InsertSubgraph(PrimIndexGraph other, const Arc& arc);
  // Turns the graph of a prim into that of a child: every site moves down to the child's name.
  // Corresponds to AppendChildNameToAllSites.
  void AppendChildName(Path parent_path, Path child_path);

  size_t size() const { return nodes_.size(); }
  GraphNode& operator[](NodeId id) { return nodes_[static_cast<size_t>(id)]; }
  const GraphNode& operator[](NodeId id) const { return nodes_[static_cast<size_t>(id)]; }
  const GraphNode& root() const { return nodes_[0]; }
  // The children, strongest first; a copy, because adding arcs changes the lists.
  NodeList Children(NodeId id) const;

  void SetInert(NodeId id, bool inert);
  void SetCulled(NodeId id, bool culled);
  void SetInertBelow(NodeId id);

  // A node of this site that contributes opinions, or kNoNode. Corresponds to GetNodeUsingSite.
  NodeId FindUsing(const Site& site) const;
  NodeId FindChild(NodeId parent, const Site& site) const;
  // Whether the site of the node, or of a node above it, is an ancestor or descendant of `site` or
  // the same. Corresponds to _FindAncestorCycleInParentGraph.
  bool SharesNamespaceAbove(NodeId id, const Site& site) const;
  // How many levels of namespace the prim is below the one that introduced the node's arc; 0 for
  // arcs of the prim itself.
  int DepthBelowIntroduction(NodeId id) const;
  // The path of the node's site at the prim that introduced the arc.
  Path PathAtIntroduction(NodeId id) const;
  bool IsAncestor(NodeId ancestor, NodeId id) const;
  // Whether the node is the copy of a specializes arc below the root, which is where the opinions
  // of specializes arcs count (10.4.1). Corresponds to Pcp_IsPropagatedSpecializesNode.
  bool IsPropagatedSpecializes(NodeId id) const;
  // The authored arc at which the chain of origins of an implied arc begins; adds the length of the
  // chain to `*steps`. Corresponds to GetOriginRootNode.
  NodeId OriginRoot(NodeId id, int* steps = nullptr) const;
  // The instance of the class hierarchy that a class node belongs to, and its first class.
  // Corresponds to Pcp_FindStartingNodeOfClassHierarchy.
  std::pair<NodeId, NodeId> StartOfClassHierarchy(NodeId id) const;

  // The number of nodes visited since the last call, for budgets; short walks are not counted.
  size_t TakeScanned() const { return std::exchange(scanned_, 0); }

  // -1 if a is stronger than b, 1 if it is weaker. Correspond to PcpCompareSiblingNodeStrength and
  // PcpCompareNodeStrength; implemented in strength_order.cc.
  int CompareSiblings(NodeId a, NodeId b) const;
  int Compare(NodeId a, NodeId b) const;

  // All nodes, strongest first.
  NodeList StrengthOrder() const;
  void Reserve(size_t n) { nodes_.reserve(n); }
  // Appends the next weaker node of a finished index; the caller leaves its sibling links unset.
  void AddFinished(GraphNode node);

 private:
  // Graphs with more nodes than this are searched through a SiteIndex.
  static constexpr size_t kFewNodes = 64;

  const SiteIndex& Sites() const;
  // Links a new node into its parent's list of children.
  NodeId Link(NodeId child);
  // The sibling that a new child comes after; kNoNode if it comes first.
  NodeId PlaceAmongSiblings(NodeId child) const;
  // -1 if a walk in strength order meets a before b, 1 if after. Corresponds to _OriginIsStronger.
  int FirstMet(NodeId a, NodeId b) const;
  // Updates restricted_depth after a change of inert or culled.
  void RecordRestriction(NodeId id, bool certain);
  // Compares sibling specializes nodes; `*decided` is false if only their sibling numbers decide.
  int CompareSpecializes(NodeId a, NodeId b, bool* decided) const;
  // As CompareSpecializes, for nodes that are due to one authored arc.
  int CompareSameOriginRoot(NodeId a, NodeId b) const;

  std::vector<GraphNode> nodes_;
  mutable SiteIndex sites_;  // has the first sites_.size() nodes
  mutable size_t scanned_ = 0;
};

// Inherits and specializes. Corresponds to PcpIsClassBasedArc.
inline bool IsClassBasedArc(ArcType arc) {
  return arc == ArcType::kInherit || arc == ArcType::kSpecialize;
}

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_COMPOSITION_PRIM_INDEX_GRAPH_H_

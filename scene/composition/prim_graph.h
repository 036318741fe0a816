// PrimGraph: a prim index under construction: sites joined by arcs, siblings in strength order.
//
// Nodes are numbered in the order of their making; a node's number never changes. Not thread-safe.
#ifndef STAGEDOOR_SCENE_COMPOSITION_PRIM_GRAPH_H_
#define STAGEDOOR_SCENE_COMPOSITION_PRIM_GRAPH_H_

#include <cstdint>
#include <utility>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "scene/composition/arc.h"
#include "scene/composition/layer_stack.h"
#include "scene/composition/map_function.h"
#include "scene/composition/site_index.h"
#include "scene/composition/stack_spec.h"
#include "scene/layer/spec_tree.h"
#include "scene/paths/path.h"

namespace stagedoor {

inline constexpr NodeId kNoNode = -1;

using StackSpecs = absl::InlinedVector<StackSpec, 2>;

// The specs of a site, strongest first.
StackSpecs FindSpecs(const LayerStack& stack, Path path);
// Of a child prim, or of a variant, from its parent's.
StackSpecs FindChildSpecs(const LayerStack& stack, const StackSpecs& parent, Token name);
StackSpecs FindVariantSpecs(const LayerStack& stack, const StackSpecs& parent, Token set,
                            Token variant);

// What joins a node to its parent.
struct ArcInfo {
  Arc type = Arc::kRoot;
  NodeId parent = kNoNode;
  NodeId origin = kNoNode;  // whose opinion it is; differs from parent for implied arcs
  MapFunction to_parent;
  int sibling = 0;  // place among the arcs of that type at the origin
  int depth = 0;    // namespace depth at which it was introduced
};

struct GraphNode {
  Arc arc = Arc::kRoot;
  bool inert = false;
  bool culled = false;
  bool due_to_ancestor = false;
  bool direct = false;     // it or an arc above it was introduced at this prim
  bool has_clips = false;  // value clips here or above
  NodeId parent = kNoNode;
  NodeId origin = kNoNode;
  NodeId first_child = kNoNode;
  NodeId last_child = kNoNode;
  NodeId next = kNoNode;
  NodeId previous = kNoNode;
  int sibling = 0;
  int depth = 0;
  // Paths at least so deep got no opinions from here; 0: no restriction.
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

// Depth without variant selections.
int NamespaceDepth(Path path);

class PrimGraph {
 public:
  static constexpr size_t kMaxNodes = (1 << 15) - 1;

  void AddRoot(const Site& site);
  // kNoNode when the graph is full.
  NodeId InsertChild(const Site& site, const ArcInfo& arc);
  // Takes the nodes of `other`, whose root becomes a child. kNoNode when the graph is full.
  NodeId InsertSubgraph(PrimGraph other, const ArcInfo& arc);
  // Moves all sites to their child.
  void AppendChildName(Path parent_path, Path child_path);

  size_t size() const { return nodes_.size(); }
  GraphNode& operator[](NodeId id) { return nodes_[static_cast<size_t>(id)]; }
  const GraphNode& operator[](NodeId id) const { return nodes_[static_cast<size_t>(id)]; }
  const GraphNode& root() const { return nodes_[0]; }
  // Copied, because adding arcs changes the lists.
  absl::InlinedVector<NodeId, 8> Children(NodeId id) const;

  void SetInert(NodeId id, bool inert);
  void SetCulled(NodeId id, bool culled);
  void SetInertBelow(NodeId id);

  // A node that could contribute, kNoNode if none has the site.
  NodeId FindUsing(const Site& site) const;
  NodeId FindChild(NodeId parent, const Site& site) const;
  // Whether the site of the node, or of one above it, is at, above or below `site`.
  bool SharesNamespaceAbove(NodeId id, const Site& site) const;
  int DepthBelowIntroduction(NodeId id) const;
  Path PathAtIntroduction(NodeId id) const;
  bool IsAncestor(NodeId ancestor, NodeId id) const;
  // A specializes arc's copy below the root, where its opinions come last.
  bool IsPropagatedSpecializes(NodeId id) const;
  // The node at which the origins of an implied arc begin.
  NodeId OriginRoot(NodeId id, int* steps = nullptr) const;
  // The instance that a class hierarchy belongs to, and its first class.
  std::pair<NodeId, NodeId> StartOfClassHierarchy(NodeId id) const;

  // Nodes looked at since the last call, where that is more than a few.
  size_t TakeScanned() const { return std::exchange(scanned_, 0); }

  // -1 when a is stronger than b, 1 when weaker.
  int CompareSiblings(NodeId a, NodeId b) const;
  int Compare(NodeId a, NodeId b) const;

  // All nodes, strongest first.
  std::vector<NodeId> StrengthOrder() const;
  void Reserve(size_t n) { nodes_.reserve(n); }
  // Adds the next weaker node of a finished index, links among siblings left out.
  void AddFinished(GraphNode node);

 private:
  // Graphs of more nodes are searched through the index of their sites.
  static constexpr size_t kFewNodes = 64;

  const SiteIndex& Sites() const;
  NodeId Link(NodeId child);
  NodeId PlaceAmongSiblings(NodeId child) const;  // the sibling before it
  // Which of two nodes a walk in strength order meets first.
  int FirstMet(NodeId a, NodeId b) const;
  void RecordRestriction(NodeId id, bool certain);
  int CompareSpecializes(NodeId a, NodeId b, bool* decided) const;
  int CompareSameOriginRoot(NodeId a, NodeId b) const;

  std::vector<GraphNode> nodes_;
  mutable SiteIndex sites_;  // of the first nodes, or none
  mutable size_t scanned_ = 0;
};

inline bool IsClassArc(Arc arc) { return arc == Arc::kInherit || arc == Arc::kSpecialize; }

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_COMPOSITION_PRIM_GRAPH_H_

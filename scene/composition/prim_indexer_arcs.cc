// PrimIndexer: adding an arc (_AddArc in OpenUSD).
#include "base/strings.h"
#include "scene/composition/prim_indexer.h"
#include "scene/values/layer_offset.h"

namespace stagedoor {
namespace {

// The cost of finding a spec in a layer, in visits of a node.
constexpr size_t kItemsPerLayer = 16;

// The cost of composing a pair of a mapping, in visits of a node.
constexpr size_t kItemsPerPair = 256;

// Walks from a node to the root of its graph, then on through the outer graphs, as if they were
// joined already. Corresponds to PcpPrimIndex_StackFrameIterator.
struct FrameWalk {
  const PrimIndexGraph* graph;
  NodeId node;
  const PrimIndexStackFrame* frame;

  bool done() const { return node == kNoNode; }
  void NextFrame() {
    if (!frame) {
      node = kNoNode;
      return;
    }
    graph = frame->graph;
    node = frame->parent;
    frame = frame->previous;
  }
  void Next() {
    const NodeId up = (*graph)[node].parent;
    if (up != kNoNode) {
      node = up;
    } else {
      NextFrame();
    }
  }
  ArcType arc() const {
    if ((*graph)[node].parent == kNoNode && frame) return frame->arc->type;
    return (*graph)[node].arc;
  }
  // The path that a site of this graph will have in the outer graph. While a nested index is built
  // for </A/B>, its graph starts as that of </A>; a site </C> there will become </C/B>. Without the
  // conversion, a reference from a descendant of </A> to its sibling would look like a cycle.
  Path InNextFrame(Path path, bool exact) const {
    const Path requested = frame->requested.path;
    const Path root = graph->root().path;
    if (exact && root == path) return requested;
    return requested.ReplacePrefix(root, path);
  }
};

}  // namespace

ArcType PrimIndexer::OuterArc(NodeId node) const {
  return FrameWalk{&graph_, node, request_.frame}.arc();
}

bool PrimIndexer::MakesCycle(NodeId parent, NodeId origin, ArcType type, const Site& site) const {
  // A variant's path always has its prim's as a prefix, but only addresses other storage.
  if (type == ArcType::kVariant) return false;
  const bool implied = IsClassBasedArc(type) && parent != origin;
  if (implied) {
    FrameWalk up{&graph_, parent, request_.frame};
    while (!up.done() && IsClassBasedArc(up.arc())) up.Next();
    // Implied classes below relocates are placeholders at sites that need not mean anything, since
    // the mapping includes the relocation but the relocate node is at the source.
    if (!up.done() && up.arc() == ArcType::kRelocate) return false;
  }
  // Ancestors and descendants count too: an arc to either would make the namespace infinitely deep.
  Site target = site;
  for (FrameWalk walk{&graph_, parent, request_.frame}; !walk.done(); walk.NextFrame()) {
    if (walk.graph->SharesNamespaceAbove(walk.node, target)) return true;
    if (walk.frame) target.path = walk.InNextFrame(target.path, true);
  }
  return false;
}

bool PrimIndexer::IsDuplicate(NodeId parent, const Site& site) const {
  Site target = site;
  for (FrameWalk walk{&graph_, parent, request_.frame}; !walk.done(); walk.NextFrame()) {
    if (walk.graph->FindUsing(target) != kNoNode) return true;
    if (walk.frame) target.path = walk.InNextFrame(target.path, false);
  }
  return false;
}

MapFunction PrimIndexer::MapOfArc(Path source, Path target, const LayerStack& stack,
                                  const LayerOffset& offset) const {
  // Mappings are between namespaces, which variant selections are no part of (10.3.2.5.2).
  target = target.StripVariantSelections();
  MapFunction arc = MapFunction::Make({{source, target}}, offset);
  if (!stack.has_relocates()) return arc;
  // 10.3.2.6.1: the relocates of the layer stack that authors the arc apply after the arc.
  const MapFunction relocates = stack.RelocatesAt(target);
  budget_.SpendOnScan(kItemsPerPair * relocates.pairs().size());
  return relocates.Compose(arc);
}

NodeId PrimIndexer::AddArc(ArcType type, NodeId parent, NodeId origin, const Site& site,
                           const MapFunction& map, int sibling, const ArcOptions& given) {
  if (!budget_.Spend() || !SpendScanned() || full_) return kNoNode;
  // Before the check for duplicates, which would hide the error: a cycle returns to a site that is
  // in the graph.
  if (MakesCycle(parent, origin, type, site)) {
    AddError(
        CompositionErrorType::kArcCycle,
        Concat("cannot follow the ", ArcTypeName(type), " to <", site.path.ToString(), "> in ",
               site.stack->root_layer().identifier(), " from <", graph_[parent].path.ToString(),
               ">: the arcs form a cycle; remove one of them"));
    return kNoNode;
  }
  ArcOptions options = given;
  // Nested indexes must not introduce sites that the outer index must not contain twice.
  if (request_.frame && request_.frame->skip_duplicates) options.skip_duplicates = true;
  if (options.skip_duplicates && IsDuplicate(parent, site)) return kNoNode;

  Arc arc{type, parent, origin, map, sibling, options.depth};
  if (arc.depth < 0) arc.depth = NamespaceDepth(graph_[parent].path);
  const NodeId node = options.ancestral ? InsertIndex(site, arc, options)
                                        : InsertSite(site, arc, options.contributes);
  if (node == kNoNode) {
    // No other arc would fit, so this is reported once.
    full_ = true;
    AddError(CompositionErrorType::kIndexCapacityExceeded,
             "the prim has too many composition arcs; the remaining ones are ignored");
    return kNoNode;
  }
  out_.new_arcs.push_back({type, site});
  MarkDependencies(node, origin, options);
  uint32_t tasks = options.tasks;
  // A nested index has evaluated the arcs authored at its sites, but left the propagation of its
  // specializes and its ancestral variant sets to this one. A single site has neither.
  if (options.ancestral) tasks &= ~kExpressedArcs;
  if (!options.ancestral) tasks &= ~kImpliedSpecializes;
  if (!options.ancestral || !request_.evaluate_variants) tasks &= ~kAncestralVariantSets;
  AddNodeTasks(node, tasks);
  // A placeholder for a target without a default prim: the pseudo-root has no opinions about
  // prims.
  if (graph_[node].path.IsAbsoluteRoot()) graph_.SetInertBelow(node);
  return node;
}

NodeId PrimIndexer::InsertSite(const Site& site, const Arc& arc, bool contributes) {
  budget_.SpendOnScan(kItemsPerLayer * site.stack->layers().size());
  const NodeId node = graph_.InsertChild(site, arc);
  if (node == kNoNode) return kNoNode;
  if (!contributes) {
    graph_.SetInert(node, true);
    // Nor do ancestral variant sets of this site count, whatever their depth.
    graph_[node].restricted_depth = 1;
  }
  GraphNode& n = graph_[node];
  if (!n.inert && n.has_specs()) n.has_clips = HasClips(*n.stack, n.specs);
  return node;
}

NodeId PrimIndexer::InsertIndex(const Site& site, const Arc& arc, const ArcOptions& options) {
  const PrimIndexStackFrame frame{site, &graph_,        arc.parent,
                                  &arc, request_.frame, options.skip_duplicates};
  PrimIndexRequest request;
  request.site = site;
  request.root_site = request_.root_site;
  // The outer index evaluates these after the insertion. Only it has the root below which
  // specializes belong (10.4.1), and the stronger sites whose variant selections win (10.3.2.5.1).
  request.evaluate_specializes = false;
  request.evaluate_variants = false;
  request.root_contributes = options.contributes;
  request.frame = &frame;
  request.nesting = request_.nesting + 1;
  request.instances = request_.instances;
  request.tree_root = request_.tree_root;
  PrimIndexOutputs inner = BuildInner(request);
  // Payloads and questions of the nested index are those of this prim.
  out_.has_payloads = out_.has_payloads || inner.has_payloads;
  out_.payload_included = out_.payload_included || inner.payload_included;
  out_.asked_above_tree = out_.asked_above_tree || inner.asked_above_tree;
  AddErrors(std::move(inner.errors));
  out_.new_arcs.insert(out_.new_arcs.end(), inner.new_arcs.begin(), inner.new_arcs.end());
  budget_.Spend(inner.graph.size());
  return graph_.InsertSubgraph(std::move(inner.graph), arc);
}

void PrimIndexer::MarkDependencies(NodeId node, NodeId origin, const ArcOptions& options) {
  GraphNode& n = graph_[node];
  // The copy of a specializes node takes over whether the arc that it was copied from is
  // ancestral.
  n.due_to_ancestor = options.copy_ancestor_flag && graph_[origin].due_to_ancestor;
  n.direct = !options.copy_ancestor_flag || graph_[origin].direct;
  if (!options.ancestral || request_.frame || !n.direct) return;
  // To this prim, arcs of the target's ancestors are part of what its own arc brings in; instances
  // share them.
  std::vector<NodeId> open = {node};
  while (!open.empty()) {
    const NodeId id = open.back();
    open.pop_back();
    graph_[id].direct = true;
    for (const NodeId child : graph_.Children(id)) open.push_back(child);
  }
}

}  // namespace stagedoor

#include "scene/composition/shared_graphs.h"

#include <utility>
#include <vector>

#include "scene/composition/prim_index_builder.h"

namespace stagedoor {
namespace {

void Unlink(GraphNode* node) {
  node->first_child = node->last_child = node->next = node->previous = kNoNode;
}

// Replaces the root arc of a tree's root by the arc to the arc path's target.
void Attach(const PrimIndexNode& target, GraphNode* root) {
  root->arc = target.arc;
  root->parent = target.parent;
  root->origin = target.origin;
  root->sibling = target.sibling;
  root->depth = target.depth;
  root->to_parent = target.map_to_parent;
  root->due_to_ancestor = true;
}

// Appends the nodes of a tree to the graph of a chain, whose last node becomes the parent of their
// root. Both are in strength order, and so is the result.
PrimIndexGraph JoinAt(PrimIndexGraph graph, const PrimIndexNode& target,
                      const PrimIndexGraph& inner) {
  const NodeId shift = static_cast<NodeId>(graph.size());
  for (NodeId id = 0; id < static_cast<NodeId>(inner.size()); ++id) {
    GraphNode node = inner[id];
    if (id == 0) {
      Attach(target, &node);
    } else {
      node.parent += shift;
      node.origin += shift;
    }
    node.to_root = graph[node.parent].to_root.Compose(node.to_parent);
    Unlink(&node);
    graph.AddFinished(std::move(node));
  }
  return graph;
}

// Replaces the nodes of a proxy by those of a real chain, in a graph composed for the proxy.
// Classes that its opinions have brought in move with them.
class ProxyReplacer {
 public:
  ProxyReplacer(const OuterContext& outer, const PrimIndexGraph& from)
      : arc_path_(outer.arc_path()),
        prefix_(outer.proxy_path()),
        from_(from),
        top_(ProxyPath(arc_path_.target.path, prefix_)),
        chain_index_(from.size(), -1),
        maps_(arc_path_.chain.size()) {
    // From the tree's namespace to that of each node of the chain.
    MapFunction map = arc_path_.target.map_to_parent;
    for (size_t i = maps_.size(); i-- > 0;) {
      maps_[i] = map;
      map = arc_path_.chain[i].map_to_parent.Compose(map);
    }
  }

  PrimIndexGraph Run() {
    PrimIndexGraph graph;
    for (NodeId id = 0; id < static_cast<NodeId>(from_.size()); ++id) {
      GraphNode node = from_[id];
      if (node.path.HasPrefix(prefix_)) {
        chain_index_[static_cast<size_t>(id)] = next_;
        ReplaceNode(arc_path_.chain[static_cast<size_t>(next_++)], &node);
      } else if (const int chain_index = chain_index_[static_cast<size_t>(node.parent)];
                 chain_index >= 0) {
        MoveArc(static_cast<size_t>(chain_index), &node);
      }
      node.to_root = node.parent == kNoNode ? MapFunction::Identity()
                                            : graph[node.parent].to_root.Compose(node.to_parent);
      Unlink(&node);
      graph.AddFinished(std::move(node));
    }
    return graph;
  }

 private:
  void ReplaceNode(const PrimIndexNode& real, GraphNode* node) const {
    const Path path = node->path.ReplacePrefix(top_, real.path);
    node->restricted_depth = Rebase(node->restricted_depth, node->path, path);
    node->path = path;
    node->stack = real.layer_stack;
    node->depth = real.depth;
    node->to_parent = real.map_to_parent;
  }

  // Changes the arc of a node that is a child of a node of the chain.
  void MoveArc(size_t chain_index, GraphNode* node) const {
    if (!IsClassBasedArc(node->arc)) {  // the arc path's target, the only such child
      node->depth = arc_path_.target.depth;
      node->to_parent = arc_path_.target.map_to_parent;
      return;
    }
    // An implied class is introduced at the site, which may be deeper or less deep than the
    // proxy.
    node->depth += NamespaceDepth(arc_path_.chain[chain_index].path) - NamespaceDepth(top_);
    std::vector<MapFunction::Pair> pairs;
    for (auto [source, target] : node->to_parent.pairs()) {
      if (target.HasPrefix(prefix_)) {
        target = maps_[chain_index].MapSourceToTarget(
            target.ReplacePrefix(prefix_, Path::AbsoluteRoot(), /*fix_targets=*/false));
        if (target.empty()) continue;
      }
      pairs.emplace_back(source, target);
    }
    node->to_parent = MapFunction::Make(std::move(pairs), node->to_parent.offset());
  }

  const ArcPath& arc_path_;
  const Path prefix_;
  const PrimIndexGraph& from_;
  const Path top_;
  std::vector<int> chain_index_;  // by node, its index in the chain; -1 if it is not in it
  int next_ = 0;
  std::vector<MapFunction> maps_;
};

}  // namespace

PrimIndexGraph FullGraph(const PrimIndexRef& ref) {
  PrimIndexGraph inner = PrimIndexBuilder::GraphOf(*ref.index);
  const OuterContext* outer = OuterContext::Of(ref);
  if (!outer) return inner;
  // Indexes for a proxy contain its chain already.
  if (!outer->proxy_path().empty()) return ProxyReplacer(*outer, inner).Run();
  const ArcPath& arc_path = outer->arc_path();
  PrimIndexGraph graph;
  for (const PrimIndexNode& node : arc_path.chain) {
    GraphNode copy = PrimIndexBuilder::NodeOf(node);
    copy.path = inner.root().path.ReplacePrefix(arc_path.target.path, node.path);
    graph.AddFinished(std::move(copy));
  }
  return JoinAt(std::move(graph), arc_path.target, inner);
}

PrimIndexGraph ProxyGraph(const PrimIndex& index, const OuterContext& proxy) {
  const ArcPath& arc_path = proxy.arc_path();
  const Path prefix = proxy.proxy_path();
  const Path top = ProxyPath(arc_path.target.path, prefix);
  const PrimIndexGraph inner = PrimIndexBuilder::GraphOf(index);
  PrimIndexGraph graph;
  for (const PrimIndexNode& node : arc_path.chain) {
    GraphNode copy = PrimIndexBuilder::NodeOf(node);
    copy.path = ProxyPath(inner.root().path, prefix);
    copy.restricted_depth = Rebase(node.restricted_depth, node.path, top);
    if (node.parent >= 0) {
      // All nodes of the chain share one namespace, that of the proxy, but keep their times.
      copy.to_parent = MapFunction::Make({{prefix, prefix}}, node.map_to_parent.offset());
      copy.depth = NamespaceDepth(top) - DepthBelow(arc_path, node);
      copy.to_root = graph[node.parent].to_root.Compose(copy.to_parent);
    }
    graph.AddFinished(std::move(copy));
  }
  PrimIndexNode target = arc_path.target;
  target.depth =
      static_cast<uint32_t>(NamespaceDepth(top) - DepthBelow(arc_path, arc_path.target)) &
      PrimIndexNode::kMaxDepth;
  std::vector<MapFunction::Pair> pairs;
  for (const auto& [source, image] : arc_path.target.map_to_parent.pairs()) {
    pairs.emplace_back(source, image.empty() ? image : ProxyPath(source, prefix));
  }
  target.map_to_parent = MapFunction::Make(std::move(pairs), target.map_to_parent.offset());
  return JoinAt(std::move(graph), target, inner);
}

}  // namespace stagedoor

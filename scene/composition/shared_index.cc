#include "scene/composition/shared_index.h"

#include <algorithm>

#include "scene/composition/prim_index_builder.h"

namespace stagedoor {
namespace {

// `path` as far below `to` as it is below `from`.
Path Moved(Path path, Path from, Path to) { return path.ReplacePrefix(from, to); }

bool MayBeInChain(const PrimIndexNode& node) {
  const bool arc = node.arc == Arc::kRoot || node.arc == Arc::kReference ||
                   node.arc == Arc::kPayload || node.arc == Arc::kVariant;
  return arc && !node.has_specs && !node.has_clips && !node.direct && !node.culled &&
         !node.layer_stack->has_relocates();
}

// The node below which all opinions are, with as long a chain above it as can be; 0 when there is
// none.
size_t SharedRoot(const PrimIndex& index) {
  const auto nodes = index.nodes();
  std::vector<int32_t> children(nodes.size(), 0);
  for (size_t i = 1; i < nodes.size(); ++i) {
    if (nodes[i].parent < 0) return 0;  // its parent is not part of the finished index
    ++children[static_cast<size_t>(nodes[i].parent)];
  }
  size_t k = 0;
  while (k + 1 < nodes.size() && MayBeInChain(nodes[k]) && children[k] == 1) ++k;
  const auto may_be_root = [](const PrimIndexNode& node) {
    const bool arc = node.arc == Arc::kReference || node.arc == Arc::kPayload;
    return arc && !node.inert && !node.culled && !node.direct && node.due_to_ancestor;
  };
  while (k > 0 && !may_be_root(nodes[k])) --k;
  for (size_t i = 1; k > 0 && i < nodes.size(); ++i) {
    const int32_t least = static_cast<int32_t>(i <= k ? i - 1 : k);
    if (nodes[i].origin < least) return 0;
  }
  return k;
}

size_t HashNodes(std::span<const PrimIndexNode> nodes) {
  size_t hash = nodes.size();
  for (const PrimIndexNode& node : nodes) {
    hash = hash * 1000003 ^ node.path.hash();
    hash = hash * 1000003 ^ std::hash<const void*>()(node.layer_stack.get());
  }
  return hash;
}

bool SameSite(const PrimIndexNode& a, const PrimIndexNode& b) {
  return a.path == b.path && a.layer_stack == b.layer_stack && a.inert == b.inert &&
         a.has_specs == b.has_specs && a.has_clips == b.has_clips && a.culled == b.culled &&
         a.restricted_depth == b.restricted_depth && a.direct == b.direct;
}

// Whether `part`, an index of its own, is what `nodes` are from node `first` on.
bool IsPart(std::span<const PrimIndexNode> part, std::span<const PrimIndexNode> nodes,
            size_t first) {
  if (part.size() != nodes.size() - first || !SameSite(part[0], nodes[first])) return false;
  const int32_t shift = static_cast<int32_t>(first);
  for (size_t i = 1; i < part.size(); ++i) {
    const PrimIndexNode& a = part[i];
    const PrimIndexNode& b = nodes[first + i];
    if (!SameSite(a, b) || a.arc != b.arc || a.due_to_ancestor != b.due_to_ancestor ||
        a.parent != b.parent - shift || a.origin != b.origin - shift || a.sibling != b.sibling ||
        a.depth != b.depth || !(a.map_to_parent == b.map_to_parent)) {
      return false;
    }
  }
  return true;
}

}  // namespace

std::shared_ptr<const OuterContext> OuterContext::Combine(
    const std::shared_ptr<const OuterContext>& outer,
    const std::shared_ptr<const OuterContext>& inner) {
  if (!outer || !inner) return outer ? outer : inner;
  // The inner chain begins with the root of the outer context's tree.
  const Path from = outer->target().path;
  const Path to = inner->chain().front().path;
  std::vector<PrimIndexNode> chain = outer->chain();
  for (PrimIndexNode& node : chain) node.path = Moved(to, from, node.path);
  const int32_t shift = static_cast<int32_t>(chain.size());
  PrimIndexNode top = outer->target();
  top.path = to;
  top.has_specs = false;
  top.inert = inner->chain().front().inert;
  chain.push_back(std::move(top));
  for (size_t i = 1; i < inner->chain().size(); ++i) {
    PrimIndexNode node = inner->chain()[i];
    node.parent += shift;
    node.origin += shift;
    node.map_to_root = outer->Compose(node.map_to_root);
    chain.push_back(std::move(node));
  }
  PrimIndexNode target = inner->target();
  target.map_to_root = outer->Compose(target.map_to_root);
  target.parent += shift;
  target.origin += shift;
  std::vector<Path> instances = outer->instances();
  for (const Path path : inner->instances()) instances.push_back(outer->MapSourceToTarget(path));
  return std::make_shared<const OuterContext>(outer->Compose(*inner), std::move(chain),
                                              std::move(target), std::move(instances));
}

bool Demands::MetBy(const OuterContext& outer) const {
  if (impossible) return false;
  for (const PrimIndexNode& node : outer.chain()) {
    for (const Site& arc : arcs) {
      if (arc.stack == node.layer_stack.get() &&
          (arc.path.HasPrefix(node.path) || node.path.HasPrefix(arc.path))) {
        return false;
      }
    }
    for (const Path path : classes) {
      Path top = path;
      while (top.depth() > 1) top = top.Parent();
      if (!FindSpecs(*node.layer_stack, top).empty()) return false;
    }
  }
  // A class that the arcs bring somewhere else is none of the global ones.
  const auto moves = [&](const PrimIndexNode& node) {
    const MapFunction map = node.map_to_parent.WithRootIdentity();
    return std::any_of(classes.begin(), classes.end(),
                       [&](Path path) { return map.MapSourceToTarget(path) != path; });
  };
  return classes.empty() || (!moves(outer.target()) &&
                             std::none_of(outer.chain().begin(), outer.chain().end(), moves));
}

SharedSite* SharedSite::Find(Token child) {
  MutexLock lock(mu_);
  const auto it = children_.find(child);
  return it == children_.end() ? nullptr : it->second.get();
}

SharedSite* SharedSite::Add(Token child, std::unique_ptr<SharedSite> site) {
  MutexLock lock(mu_);
  return children_.emplace(child, std::move(site)).first->second.get();
}

bool SharedTrees::Share(const std::shared_ptr<const PrimIndex>& index, PrimIndexRef* ref) {
  const size_t k = SharedRoot(*index);
  if (k == 0) return false;
  const auto nodes = index->nodes();
  std::vector<PrimIndexNode> chain(nodes.begin(), nodes.begin() + static_cast<ptrdiff_t>(k));
  auto outer = std::make_shared<const OuterContext>(nodes[k].map_to_root, std::move(chain),
                                                    nodes[k], PrimIndexBuilder::Instances(*index));
  const size_t hash = HashNodes(nodes.subspan(k));
  Shard& shard = shards_[hash % kShards];
  MutexLock lock(shard.mu);
  const auto [begin, end] = shard.roots.equal_range(hash);
  auto it = std::find_if(begin, end, [&](const auto& root) {
    return IsPart(root.second->ref().index->nodes(), nodes, k);
  });
  if (it == end) {
    PrimIndexRef part;
    part.index = PrimIndexBuilder::Extract(*index, k);
    it = shard.roots.emplace(
        hash, std::make_unique<SharedSite>(std::move(part), nodes[k].path, Demands()));
  }
  *ref = {it->second->ref().index, std::move(outer), it->second.get(), nodes[k].arc};
  return true;
}

std::vector<Path> InstancesAbove(const PrimIndexRef& parent) {
  const OuterContext* outer = OuterContext::Of(parent);
  std::vector<Path> paths = PrimIndexBuilder::Instances(*parent.index);
  if (parent.index->instanceable()) paths.push_back(parent.index->nodes().front().path);
  if (!outer) return paths;
  for (Path& path : paths) path = outer->MapSourceToTarget(path);
  paths.insert(paths.begin(), outer->instances().begin(), outer->instances().end());
  return paths;
}

PrimGraph FullGraph(const PrimIndexRef& ref) {
  PrimGraph inner = PrimIndexBuilder::GraphOf(*ref.index);
  const OuterContext* outer = OuterContext::Of(ref);
  if (!outer) return inner;
  PrimGraph graph;
  const Path from = outer->target().path;
  const Path to = inner.root().path;
  for (const PrimIndexNode& node : outer->chain()) {
    GraphNode copy = PrimIndexBuilder::NodeOf(node);
    copy.path = Moved(to, from, node.path);
    graph.AddFinished(std::move(copy));
  }
  const NodeId shift = static_cast<NodeId>(graph.size());
  for (NodeId id = 0; id < static_cast<NodeId>(inner.size()); ++id) {
    GraphNode node = inner[id];
    if (id == 0) {
      const PrimIndexNode& target = outer->target();
      node.arc = target.arc;
      node.parent = target.parent;
      node.origin = target.origin;
      node.sibling = target.sibling;
      node.depth = target.depth;
      node.to_parent = target.map_to_parent;
      node.due_to_ancestor = true;
    } else {
      node.parent += shift;
      node.origin += shift;
    }
    node.to_root = graph[node.parent].to_root.Compose(node.to_parent);
    node.first_child = node.last_child = node.next = node.previous = kNoNode;
    graph.AddFinished(std::move(node));
  }
  return graph;
}

Demands DemandsOf(const IndexOutput& output, Path root_path, bool has_load_rules) {
  Demands demands;
  demands.impossible = output.asked_above_tree || (has_load_rules && output.has_payloads);
  const PrimGraph& graph = output.graph;
  for (const NewArc& arc : output.new_arcs) {
    if (arc.type != Arc::kVariant) demands.arcs.push_back(arc.target);
  }
  for (const NodeId child : graph.Children(0)) {
    const GraphNode& node = graph[child];
    if (!IsClassArc(node.arc) || node.due_to_ancestor || node.stack != graph.root().stack) continue;
    // What is below the tree's root has no opinions from elsewhere.
    if (!node.path.HasPrefix(root_path)) demands.classes.push_back(node.path);
  }
  return demands;
}

}  // namespace stagedoor

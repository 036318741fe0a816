#include "scene/composition/shared_index.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "scene/composition/prim_index_builder.h"

namespace stagedoor {
namespace {

// `path` as far below `to` as it is below `from`.
Path Moved(Path path, Path from, Path to) { return path.ReplacePrefix(from, to); }

// Whether a node can be above a shared root: it has no specs, and no classes to be implied,
// relocates or value clips that would matter to the prims below.
bool MayBeInChain(const PrimIndexNode& node) {
  const bool arc = node.arc == ArcType::kRoot || node.arc == ArcType::kReference ||
                   node.arc == ArcType::kPayload || node.arc == ArcType::kVariant;
  return arc && !node.has_specs() && !node.has_clips && !node.direct && !node.culled &&
         !node.layer_stack->has_relocates();
}

// The memory of a context with its mapping and reference counts.
constexpr size_t kContextBytes = sizeof(OuterContext) + 8 * sizeof(void*) + 2 * kHeapBlockBytes;

// The shared root of an index: the node, with the longest possible chain above it, whose subtree
// has all opinions. 0 if there is none. A longer chain makes the tree smaller, so that more prims
// share it.
size_t SharedRoot(const PrimIndex& index) {
  const auto nodes = index.nodes();
  std::vector<int32_t> children(nodes.size(), 0);
  for (size_t i = 1; i < nodes.size(); ++i) {
    if (nodes[i].parent < 0) return 0;  // its parent is not part of the finished index
    ++children[static_cast<size_t>(nodes[i].parent)];
  }
  // Down from the root as long as there is one child, then back up to an arc of an ancestor. Arcs
  // that the prim itself authors belong to its own index, where errors and instancing need them.
  size_t k = 0;
  while (k + 1 < nodes.size() && MayBeInChain(nodes[k]) && children[k] == 1) ++k;
  const auto may_be_root = [](const PrimIndexNode& node) {
    const bool arc = node.arc == ArcType::kReference || node.arc == ArcType::kPayload;
    return arc && !node.inert && !node.culled && !node.direct && node.due_to_ancestor;
  };
  while (k > 0 && !may_be_root(nodes[k])) --k;
  // Strength within the tree must not depend on origins above it.
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
    hash = hash * 1000003 ^ std::hash<const void*>()(node.layer_stack);
  }
  return hash;
}

// Compares all that composing a child depends on, so that equal parts have equal children.
bool SameSite(const PrimIndexNode& a, const PrimIndexNode& b) {
  return a.path == b.path && a.layer_stack == b.layer_stack && a.inert == b.inert &&
         a.has_specs() == b.has_specs() && a.has_clips == b.has_clips && a.culled == b.culled &&
         a.restricted_depth == b.restricted_depth && a.direct == b.direct;
}

// Whether `part`, the index of a shared root, has the same nodes as `nodes` from `first` on. The
// arc to its root may differ.
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

// Publishes an object in an empty slot. If another thread was faster, its object is returned and
// `made` is freed.
template <typename T>
const T* KeepFirst(std::atomic<const T*>* slot, std::unique_ptr<const T> made) {
  const T* first = nullptr;
  if (!slot->compare_exchange_strong(first, made.get(), std::memory_order_acq_rel)) return first;
  return made.release();
}

// The root prim above a path. A layer stack without specs for it has none for any class below.
Path TopOf(Path path) {
  while (path.depth() > 1) path = path.Parent();
  return path;
}

// DepthBelowIntroduction of a node of an arc path.
int DepthBelow(const ArcPath& arc_path, const PrimIndexNode& node) {
  if (node.parent < 0) return 0;
  return NamespaceDepth(arc_path.chain[static_cast<size_t>(node.parent)].path) - node.depth;
}

// A restricted_depth at path `from`, counted for the path `to` instead.
size_t Rebase(size_t restricted, Path from, Path to) {
  if (restricted == 0) return 0;
  const size_t depth = restricted + to.depth();
  return depth > from.depth() ? depth - from.depth() : 1;
}

// Whether two nodes on different arc paths are reached by the same kind of arc. Their paths may
// differ, and with them the depths of introduction, which therefore count from below.
bool SameStep(const ArcPath& a, const PrimIndexNode& x, const ArcPath& b, const PrimIndexNode& y) {
  return x.arc == y.arc && x.parent == y.parent && x.origin == y.origin && x.inert == y.inert &&
         x.sibling == y.sibling && DepthBelow(a, x) == DepthBelow(b, y) &&
         x.due_to_ancestor == y.due_to_ancestor &&
         Rebase(x.restricted_depth, x.path, a.target.path) ==
             Rebase(y.restricted_depth, y.path, b.target.path) &&
         x.map_to_parent.offset() == y.map_to_parent.offset();
}

// Whether two arc paths lead to the same shared root by the same steps, so that one proxy serves
// both, opinions of their layer stacks aside.
bool SameSteps(const ArcPath& a, const ArcPath& b) {
  if (a.chain.size() != b.chain.size() || a.target.path != b.target.path) return false;
  for (size_t i = 0; i < a.chain.size(); ++i) {
    if (!SameStep(a, a.chain[i], b, b.chain[i])) return false;
  }
  // Where the target is mapped to differs between places; what is mapped must not.
  const auto same_source = [](const auto& p, const auto& q) {
    return p.first == q.first && p.second.empty() == q.second.empty();
  };
  return SameStep(a, a.target, b, b.target) &&
         std::ranges::equal(a.target.map_to_parent.pairs(), b.target.map_to_parent.pairs(),
                            same_source);
}

// The path of a prim of the tree below the path of a proxy.
Path ProxyPath(Path path, Path prefix) {
  return path.ReplacePrefix(Path::AbsoluteRoot(), prefix, /*fix_targets=*/false);
}

}  // namespace

OuterContext::OuterContext(MapFunction map, ArcPath arc_path, MemoryAccount* memory)
    : StageMapFunction(std::move(map), arc_path.target.arc),
      arc_path_(new ArcPath(std::move(arc_path))),
      charge_(memory) {
  charge_.Grow(kContextBytes + arc_path_.load()->byte_size());
}

OuterContext::OuterContext(const OuterContext* real, MapFunction map, Path proxy_path)
    : StageMapFunction(std::move(map), ArcType::kRoot, proxy_path),
      real_(real),
      charge_(real->charge_.account()) {
  charge_.Grow(kContextBytes);
}

OuterContext::OuterContext(std::shared_ptr<const OuterContext> outer,
                           std::shared_ptr<const OuterContext> inner)
    : StageMapFunction(outer->ComposeToStage(*inner), inner->arc()),
      outer_(std::move(outer)),
      inner_(std::move(inner)),
      charge_(outer_->charge_.account()) {
  charge_.Grow(kContextBytes);
}

OuterContext::~OuterContext() {
  delete arc_path_.load(std::memory_order_relaxed);
  delete proxy_context_.load(std::memory_order_relaxed);
}

std::shared_ptr<const OuterContext> OuterContext::Combine(
    std::shared_ptr<const OuterContext> outer, std::shared_ptr<const OuterContext> inner) {
  if (!outer || !inner) return outer ? std::move(outer) : std::move(inner);
  return std::make_shared<const OuterContext>(std::move(outer), std::move(inner));
}

const ArcPath& OuterContext::arc_path() const {
  // A proxy represents places of this arc path.
  if (real_) return real_->arc_path();
  if (const ArcPath* arc_path = arc_path_.load(std::memory_order_acquire)) return *arc_path;
  std::unique_ptr<const ArcPath> made = std::make_unique<const ArcPath>(Join());
  const ArcPath* joined = made.get();
  const ArcPath* kept = KeepFirst(&arc_path_, std::move(made));
  // Charged once, by the thread whose arc path was kept.
  if (kept == joined) charge_.Grow(kept->byte_size());
  return *kept;
}

ArcPath OuterContext::Join() const {
  const ArcPath& up = outer_->arc_path();
  const ArcPath& in = inner_->arc_path();
  // The inner arc path begins at the root of the outer tree, which is the outer target. In the tree
  // of a proxy, it begins with nodes for the outer chain, which the real ones replace.
  const bool proxy = !outer_->proxy_path().empty();
  const size_t at = proxy ? up.chain.size() : 0;
  const auto shift = static_cast<int16_t>(proxy ? 0 : up.chain.size());
  const Path to = at < in.chain.size() ? in.chain[at].path : in.target.path;
  ArcPath arc_path;
  arc_path.chain = up.chain;
  for (PrimIndexNode& node : arc_path.chain) node.path = Moved(to, up.target.path, node.path);
  for (size_t i = at; i <= in.chain.size(); ++i) {
    PrimIndexNode node = i < in.chain.size() ? in.chain[i] : in.target;
    // The outer target gets the arc by which the stage reaches it.
    if (i == at) {
      node.arc = up.target.arc;
      node.parent = up.target.parent;
      node.origin = up.target.origin;
      node.sibling = up.target.sibling;
      node.depth = up.target.depth;
      node.due_to_ancestor = true;
      node.map_to_parent = up.target.map_to_parent;
    } else {
      node.parent = static_cast<int16_t>(node.parent + shift);
      node.origin = static_cast<int16_t>(node.origin + shift);
    }
    node.map_to_root =
        arc_path.chain[static_cast<size_t>(node.parent)].map_to_root.Compose(node.map_to_parent);
    arc_path.chain.push_back(std::move(node));
  }
  arc_path.target = std::move(arc_path.chain.back());
  arc_path.chain.pop_back();
  arc_path.chain.shrink_to_fit();
  arc_path.instances = up.instances;
  // Instances of the inner arc path are paths in the outer tree.
  for (const Path path : in.instances)
    arc_path.instances.push_back(outer_->MapSourceToTarget(path));
  return arc_path;
}

std::shared_ptr<const OuterContext> OuterContext::ForProxy(
    const std::shared_ptr<const OuterContext>& outer) {
  const OuterContext* known = outer->proxy_context_.load(std::memory_order_acquire);
  if (known) return {outer, known};
  // An internal reference keeps paths of the site visible, for which a proxy has no
  // substitute.
  if (!outer->proxy_path().empty() || outer->HasRootIdentity()) return nullptr;
  const ArcPath& arc_path = outer->arc_path();
  const Path top = arc_path.target.path;
  if (top.ContainsVariantSelection()) return nullptr;
  // A node may have been introduced several levels above the tree, where the proxy needs an
  // ancestor too, since strength depends on the depth of introduction (10.4).
  int depth = 1;
  for (const PrimIndexNode& node : arc_path.chain) {
    if (node.path.ContainsVariantSelection() || node.arc == ArcType::kVariant) return nullptr;
    depth = std::max(depth, DepthBelow(arc_path, node) - NamespaceDepth(top) + 1);
  }
  depth = std::max(depth, DepthBelow(arc_path, arc_path.target) - NamespaceDepth(top) + 1);
  static const Token name("<place>");  // not an identifier, so no layer has such a prim
  Path prefix = Path::AbsoluteRoot();
  for (int i = 0; i < depth; ++i) prefix = prefix.AppendChild(name);
  // Opinions of the root layer stack are in the stage's namespace already (the root identity); the
  // tree's paths below the proxy are mapped by the arc path.
  std::vector<Pair> pairs = {{Path::AbsoluteRoot(), Path::AbsoluteRoot()}, {prefix, Path()}};
  for (const auto& [source, target] : outer->pairs()) {
    pairs.emplace_back(ProxyPath(source, prefix), target);
  }
  std::unique_ptr<const OuterContext> made(
      new OuterContext(outer.get(), MapFunction::Make(std::move(pairs), LayerOffset()), prefix));
  return {outer, KeepFirst(&outer->proxy_context_, std::move(made))};
}

bool SharingConstraints::FixedConstraintsMetBy(const ArcPath& arc_path) const {
  if (unshareable) return false;
  // An arc from the tree to a prim of the chain, or to an ancestor or descendant, is a cycle for
  // this place (see PrimIndexer::MakesCycle), and a class there would be this place's own prim.
  for (const PrimIndexNode& node : arc_path.chain) {
    for (const Site& arc : arcs) {
      if (arc.stack == node.layer_stack &&
          (arc.path.HasPrefix(node.path) || node.path.HasPrefix(arc.path))) {
        return false;
      }
    }
    for (const Path path : classes) {
      if (node.path.HasPrefix(TopOf(path))) return false;
    }
  }
  // A class is global only as long as no arc of the arc path maps it to another path, which then
  // would have the opinions.
  const auto moves = [&](const PrimIndexNode& node) {
    const MapFunction map = node.map_to_parent.WithRootIdentity();
    return std::any_of(classes.begin(), classes.end(),
                       [&](Path path) { return map.MapSourceToTarget(path) != path; });
  };
  return classes.empty() || (!moves(arc_path.target) &&
                             std::none_of(arc_path.chain.begin(), arc_path.chain.end(), moves));
}

std::vector<const LayerStack*> SharingConstraints::OpinionsOf(const ArcPath& arc_path) const {
  std::vector<const LayerStack*> opinions;
  for (const PrimIndexNode& node : arc_path.chain) {
    // The whole root prim of a class counts, because its descendants may be implied as well.
    const bool any = std::any_of(classes.begin(), classes.end(), [&](Path path) {
      return !FindSpecs(*node.layer_stack, TopOf(path)).empty();
    });
    opinions.push_back(any ? node.layer_stack : nullptr);
  }
  return opinions;
}

bool SharingConstraints::AreStageOnly(const std::vector<const LayerStack*>& opinions) {
  return std::none_of(opinions.begin() + (opinions.empty() ? 0 : 1), opinions.end(),
                      [](const auto* stack) { return stack != nullptr; });
}

bool SharingConstraints::OpinionsMetBy(const ArcPath& arc_path) const {
  if (classes.empty()) return true;
  const std::vector<const LayerStack*> found = OpinionsOf(arc_path);
  // For a proxy, the same stacks must have opinions; otherwise none may.
  if (!opinions.empty()) return found == opinions;
  return std::all_of(found.begin(), found.end(), [](const auto* stack) { return !stack; });
}

SharedPrim* SharedPrim::Find(Token child) {
  MutexLock lock(mu_);
  if (!below_) return nullptr;
  const auto it = below_->children.find(child);
  return it == below_->children.end() ? nullptr : it->second.get();
}

SharedPrim* SharedPrim::Add(Token child, std::unique_ptr<SharedPrim> site) {
  MutexLock lock(mu_);
  return MakeBelow().children.emplace(child, std::move(site)).first->second.get();
}

SharedPrim::Below& SharedPrim::MakeBelow() {
  if (!below_) below_ = std::make_unique<Below>();
  return *below_;
}

SharedPrim* SharedPrim::FindProxyLocked(const ArcPath& arc_path) {
  if (!below_) return nullptr;
  for (const auto& site : below_->proxies) {
    const SharingConstraints* constraints = site->constraints();
    // The constraints include the opinions with which the site was composed.
    if (SameSteps(site->proxy()->arc_path(), arc_path) &&
        (!constraints || constraints->OpinionsMetBy(arc_path))) {
      return site.get();
    }
  }
  return nullptr;
}

SharedPrim* SharedPrim::FindProxyFor(const ArcPath& arc_path) {
  MutexLock lock(mu_);
  return FindProxyLocked(arc_path);
}

SharedPrim* SharedPrim::AddProxy(std::unique_ptr<SharedPrim> site) {
  constexpr size_t kMost = 64;  // if places differ that much, sharing does not pay
  MutexLock lock(mu_);
  if (SharedPrim* known = FindProxyLocked(site->proxy()->arc_path())) return known;
  auto& proxies = MakeBelow().proxies;
  if (proxies.size() >= kMost) return nullptr;
  return proxies.emplace_back(std::move(site)).get();
}

bool SharedTrees::Share(const std::shared_ptr<const PrimIndex>& index, PrimIndexRef* ref) {
  const size_t k = SharedRoot(*index);
  if (k == 0) return false;
  const auto nodes = index->nodes();
  ArcPath arc_path{{nodes.begin(), nodes.begin() + static_cast<ptrdiff_t>(k)},
                   nodes[k],
                   PrimIndexBuilder::Instances(*index),
                   PrimIndexBuilder::Stacks(*index)};
  auto outer = std::make_shared<const OuterContext>(nodes[k].map_to_root, std::move(arc_path),
                                                    index->memory());
  // Equal parts may have different roots above; the hash covers the sites, IsPart compares the
  // rest.
  const size_t hash = HashNodes(nodes.subspan(k));
  Shard& shard = shards_[hash % kShards];
  MutexLock lock(shard.mu);
  const auto [begin, end] = shard.roots.equal_range(hash);
  auto it = std::find_if(begin, end, [&](const auto& root) {
    return IsPart(root.second->ref().index->nodes(), nodes, k);
  });
  // Under the lock of the shard, so that equal parts never become two trees.
  if (it == end) {
    PrimIndexRef part;
    part.index = PrimIndexBuilder::Extract(*index, k);
    it = shard.roots.emplace(hash, std::make_unique<SharedPrim>(std::move(part), nodes[k].path,
                                                                SharingConstraints(), nullptr));
  }
  *ref = {it->second->ref().index, std::move(outer), it->second.get()};
  return true;
}

std::vector<Path> InstancesAbove(const PrimIndexRef& parent) {
  const OuterContext* outer = OuterContext::Of(parent);
  std::vector<Path> paths = PrimIndexBuilder::Instances(*parent.index);
  if (parent.index->instanceable()) paths.push_back(parent.index->nodes().front().path);
  // The tree's own instances are in its namespace; those above it are on the stage.
  if (!outer) return paths;
  for (Path& path : paths) path = outer->MapSourceToTarget(path);
  const std::vector<Path>& above = outer->arc_path().instances;
  paths.insert(paths.begin(), above.begin(), above.end());
  return paths;
}

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
PrimIndexGraph Join(PrimIndexGraph graph, const PrimIndexNode& target,
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
    copy.path = Moved(inner.root().path, arc_path.target.path, node.path);
    graph.AddFinished(std::move(copy));
  }
  return Join(std::move(graph), arc_path.target, inner);
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
  return Join(std::move(graph), target, inner);
}

namespace {

// The classes in the tree's own layer stack that arcs of the prim, not of an ancestor, bring in,
// with the classes of these. Each of them would be implied along the arc path; those of ancestors
// were checked when the ancestors were shared.
std::vector<NodeId> NewClasses(const PrimIndexGraph& graph) {
  std::vector<NodeId> classes;
  const auto add = [&](NodeId parent) {
    for (const NodeId child : graph.Children(parent)) {
      const GraphNode& node = graph[child];
      const bool old = parent == 0 && node.due_to_ancestor;
      if (IsClassBasedArc(node.arc) && !old && node.stack == graph.root().stack) {
        classes.push_back(child);
      }
    }
  };
  add(0);
  for (size_t i = 0; i < classes.size(); ++i) add(classes[i]);
  return classes;
}

}  // namespace

SharingConstraints SharingConstraintsOf(const PrimIndexOutputs& output, Path root_path,
                                        bool has_load_rules, const OuterContext* proxy) {
  SharingConstraints constraints;
  // Load rules are by stage path, and a selection above the tree is the stage's to make.
  constraints.unshareable = output.asked_above_tree || (has_load_rules && output.has_payloads);
  const PrimIndexGraph& graph = output.graph;
  // Only new arcs: the site has got this far, so older ones met its constraints.
  for (const NewArc& arc : output.new_arcs) {
    if (arc.type != ArcType::kVariant) constraints.arcs.push_back(arc.target);
  }
  for (const NodeId id : NewClasses(graph)) {
    const Path path = graph[id].path;
    // A class below the tree's root maps to a path below the site, where the chain has no specs.
    if (path.HasPrefix(root_path)) continue;
    if (proxy && path.HasPrefix(proxy->proxy_path())) {
      constraints.unshareable = true;  // a real place may have opinions at this path
    } else {
      constraints.classes.push_back(path);
    }
  }
  if (proxy) {
    constraints.opinions = constraints.OpinionsOf(proxy->arc_path());
    constraints.unshareable |= !SharingConstraints::AreStageOnly(constraints.opinions);
  }
  return constraints;
}

}  // namespace stagedoor

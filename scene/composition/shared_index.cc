#include "scene/composition/shared_index.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "scene/composition/prim_index_builder.h"

namespace stagedoor {
namespace {

// `path` as far below `to` as it is below `from`.
Path Moved(Path path, Path from, Path to) { return path.ReplacePrefix(from, to); }

bool MayBeInChain(const PrimIndexNode& node) {
  const bool arc = node.arc == Arc::kRoot || node.arc == Arc::kReference ||
                   node.arc == Arc::kPayload || node.arc == Arc::kVariant;
  return arc && !node.has_specs() && !node.has_clips && !node.direct && !node.culled &&
         !node.layer_stack->has_relocates();
}

// With the mapping of its own, the reference counts and the block's.
constexpr size_t kContextBytes = sizeof(OuterContext) + 8 * sizeof(void*) + 2 * kHeapBlockBytes;

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
    hash = hash * 1000003 ^ std::hash<const void*>()(node.layer_stack);
  }
  return hash;
}

bool SameSite(const PrimIndexNode& a, const PrimIndexNode& b) {
  return a.path == b.path && a.layer_stack == b.layer_stack && a.inert == b.inert &&
         a.has_specs() == b.has_specs() && a.has_clips == b.has_clips && a.culled == b.culled &&
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

// Publishes the first object made for a slot; another thread's is dropped.
template <typename T>
const T* KeepFirst(std::atomic<const T*>* slot, std::unique_ptr<const T> made) {
  const T* first = nullptr;
  if (!slot->compare_exchange_strong(first, made.get(), std::memory_order_acq_rel)) return first;
  return made.release();
}

Path TopOf(Path path) {
  while (path.depth() > 1) path = path.Parent();
  return path;
}

// How far below the introduction of its arc a node of a way is.
int DepthBelow(const Way& way, const PrimIndexNode& node) {
  if (node.parent < 0) return 0;
  return NamespaceDepth(way.chain[static_cast<size_t>(node.parent)].path) - node.depth;
}

size_t Rebase(size_t restricted, Path from, Path to) {
  if (restricted == 0) return 0;
  const size_t depth = restricted + to.depth();
  return depth > from.depth() ? depth - from.depth() : 1;
}

bool SameStep(const Way& a, const PrimIndexNode& x, const Way& b, const PrimIndexNode& y) {
  return x.arc == y.arc && x.parent == y.parent && x.origin == y.origin && x.inert == y.inert &&
         x.sibling == y.sibling && DepthBelow(a, x) == DepthBelow(b, y) &&
         x.due_to_ancestor == y.due_to_ancestor &&
         Rebase(x.restricted_depth, x.path, a.target.path) ==
             Rebase(y.restricted_depth, y.path, b.target.path) &&
         x.map_to_parent.offset() == y.map_to_parent.offset();
}

// Whether a stand-in of one way is one of the other, opinions aside.
bool SameSteps(const Way& a, const Way& b) {
  if (a.chain.size() != b.chain.size() || a.target.path != b.target.path) return false;
  for (size_t i = 0; i < a.chain.size(); ++i) {
    if (!SameStep(a, a.chain[i], b, b.chain[i])) return false;
  }
  const auto same_source = [](const auto& p, const auto& q) {
    return p.first == q.first && p.second.empty() == q.second.empty();
  };
  return SameStep(a, a.target, b, b.target) &&
         std::ranges::equal(a.target.map_to_parent.pairs(), b.target.map_to_parent.pairs(),
                            same_source);
}

// `path` of the tree as a stand-in has it.
Path StandInPath(Path path, Path prefix) {
  return path.ReplacePrefix(Path::AbsoluteRoot(), prefix, /*fix_targets=*/false);
}

}  // namespace

OuterContext::OuterContext(MapFunction map, Way way, MemoryAccount* memory)
    : StageMap(std::move(map), way.target.arc), way_(new Way(std::move(way))), charge_(memory) {
  charge_.Grow(kContextBytes + way_.load()->byte_size());
}

OuterContext::OuterContext(const OuterContext* real, MapFunction map, Path stand_in)
    : StageMap(std::move(map), Arc::kRoot, stand_in),
      real_(real),
      charge_(real->charge_.account()) {
  charge_.Grow(kContextBytes);
}

OuterContext::OuterContext(std::shared_ptr<const OuterContext> outer,
                           std::shared_ptr<const OuterContext> inner)
    : StageMap(outer->ComposeToStage(*inner), inner->arc()),
      outer_(std::move(outer)),
      inner_(std::move(inner)),
      charge_(outer_->charge_.account()) {
  charge_.Grow(kContextBytes);
}

OuterContext::~OuterContext() {
  delete way_.load(std::memory_order_relaxed);
  delete stand_in_context_.load(std::memory_order_relaxed);
}

std::shared_ptr<const OuterContext> OuterContext::Combine(
    std::shared_ptr<const OuterContext> outer, std::shared_ptr<const OuterContext> inner) {
  if (!outer || !inner) return outer ? std::move(outer) : std::move(inner);
  return std::make_shared<const OuterContext>(std::move(outer), std::move(inner));
}

const Way& OuterContext::way() const {
  if (real_) return real_->way();
  if (const Way* way = way_.load(std::memory_order_acquire)) return *way;
  std::unique_ptr<const Way> made = std::make_unique<const Way>(Join());
  const Way* joined = made.get();
  const Way* kept = KeepFirst(&way_, std::move(made));
  if (kept == joined) charge_.Grow(kept->byte_size());
  return *kept;
}

Way OuterContext::Join() const {
  const Way& up = outer_->way();
  const Way& in = inner_->way();
  // The way of a stand-in's tree begins with nodes that stand for the chain up there; any other
  // begins with the target up there.
  const bool stand_in = !outer_->stand_in().empty();
  const size_t at = stand_in ? up.chain.size() : 0;
  const auto shift = static_cast<int16_t>(stand_in ? 0 : up.chain.size());
  const Path to = at < in.chain.size() ? in.chain[at].path : in.target.path;
  Way way;
  way.chain = up.chain;
  for (PrimIndexNode& node : way.chain) node.path = Moved(to, up.target.path, node.path);
  for (size_t i = at; i <= in.chain.size(); ++i) {
    PrimIndexNode node = i < in.chain.size() ? in.chain[i] : in.target;
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
        way.chain[static_cast<size_t>(node.parent)].map_to_root.Compose(node.map_to_parent);
    way.chain.push_back(std::move(node));
  }
  way.target = std::move(way.chain.back());
  way.chain.pop_back();
  way.chain.shrink_to_fit();
  way.instances = up.instances;
  for (const Path path : in.instances) way.instances.push_back(outer_->MapSourceToTarget(path));
  return way;
}

std::shared_ptr<const OuterContext> OuterContext::StandIn(
    const std::shared_ptr<const OuterContext>& outer) {
  const OuterContext* known = outer->stand_in_context_.load(std::memory_order_acquire);
  if (known) return {outer, known};
  if (!outer->stand_in().empty() || outer->HasRootIdentity()) return nullptr;
  const Way& way = outer->way();
  const Path top = way.target.path;
  if (top.ContainsVariantSelection()) return nullptr;
  // Deep enough that all arcs were introduced somewhere on it.
  int depth = 1;
  for (const PrimIndexNode& node : way.chain) {
    if (node.path.ContainsVariantSelection() || node.arc == Arc::kVariant) return nullptr;
    depth = std::max(depth, DepthBelow(way, node) - NamespaceDepth(top) + 1);
  }
  depth = std::max(depth, DepthBelow(way, way.target) - NamespaceDepth(top) + 1);
  static const Token name("<place>");  // no identifier
  Path prefix = Path::AbsoluteRoot();
  for (int i = 0; i < depth; ++i) prefix = prefix.AppendChild(name);
  std::vector<Pair> pairs = {{Path::AbsoluteRoot(), Path::AbsoluteRoot()}, {prefix, Path()}};
  for (const auto& [source, target] : outer->pairs()) {
    pairs.emplace_back(StandInPath(source, prefix), target);
  }
  std::unique_ptr<const OuterContext> made(
      new OuterContext(outer.get(), MapFunction::Make(std::move(pairs), LayerOffset()), prefix));
  return {outer, KeepFirst(&outer->stand_in_context_, std::move(made))};
}

bool Demands::FixedMetBy(const Way& way) const {
  if (impossible) return false;
  for (const PrimIndexNode& node : way.chain) {
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
  // A class that the arcs bring somewhere else is none of the global ones.
  const auto moves = [&](const PrimIndexNode& node) {
    const MapFunction map = node.map_to_parent.WithRootIdentity();
    return std::any_of(classes.begin(), classes.end(),
                       [&](Path path) { return map.MapSourceToTarget(path) != path; });
  };
  return classes.empty() ||
         (!moves(way.target) && std::none_of(way.chain.begin(), way.chain.end(), moves));
}

std::vector<const LayerStack*> Demands::OpinionsOf(const Way& way) const {
  std::vector<const LayerStack*> opinions;
  for (const PrimIndexNode& node : way.chain) {
    const bool any = std::any_of(classes.begin(), classes.end(), [&](Path path) {
      return !FindSpecs(*node.layer_stack, TopOf(path)).empty();
    });
    opinions.push_back(any ? node.layer_stack : nullptr);
  }
  return opinions;
}

bool Demands::AreOfStageOnly(const std::vector<const LayerStack*>& opinions) {
  return std::none_of(opinions.begin() + (opinions.empty() ? 0 : 1), opinions.end(),
                      [](const auto* stack) { return stack != nullptr; });
}

bool Demands::OpinionsMetBy(const Way& way) const {
  if (classes.empty()) return true;
  const std::vector<const LayerStack*> found = OpinionsOf(way);
  if (!opinions.empty()) return found == opinions;
  return std::all_of(found.begin(), found.end(), [](const auto* stack) { return !stack; });
}

SharedSite* SharedSite::Find(Token child) {
  MutexLock lock(mu_);
  if (!below_) return nullptr;
  const auto it = below_->children.find(child);
  return it == below_->children.end() ? nullptr : it->second.get();
}

SharedSite* SharedSite::Add(Token child, std::unique_ptr<SharedSite> site) {
  MutexLock lock(mu_);
  return MakeBelow().children.emplace(child, std::move(site)).first->second.get();
}

SharedSite::Below& SharedSite::MakeBelow() {
  if (!below_) below_ = std::make_unique<Below>();
  return *below_;
}

SharedSite* SharedSite::FindPlaced(const Way& way) {
  if (!below_) return nullptr;
  for (const auto& site : below_->placed) {
    const Demands* demands = site->demands();
    if (SameSteps(site->stand_in()->way(), way) && (!demands || demands->OpinionsMetBy(way))) {
      return site.get();
    }
  }
  return nullptr;
}

SharedSite* SharedSite::FindFor(const Way& way) {
  MutexLock lock(mu_);
  return FindPlaced(way);
}

SharedSite* SharedSite::AddFor(std::unique_ptr<SharedSite> site) {
  constexpr size_t kMost = 64;  // places that differ so much share nothing
  MutexLock lock(mu_);
  if (SharedSite* known = FindPlaced(site->stand_in()->way())) return known;
  auto& placed = MakeBelow().placed;
  if (placed.size() >= kMost) return nullptr;
  return placed.emplace_back(std::move(site)).get();
}

bool SharedTrees::Share(const std::shared_ptr<const PrimIndex>& index, PrimIndexRef* ref) {
  const size_t k = SharedRoot(*index);
  if (k == 0) return false;
  const auto nodes = index->nodes();
  Way way{{nodes.begin(), nodes.begin() + static_cast<ptrdiff_t>(k)},
          nodes[k],
          PrimIndexBuilder::Instances(*index),
          PrimIndexBuilder::Stacks(*index)};
  auto outer =
      std::make_shared<const OuterContext>(nodes[k].map_to_root, std::move(way), index->memory());
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
        hash, std::make_unique<SharedSite>(std::move(part), nodes[k].path, Demands(), nullptr));
  }
  *ref = {it->second->ref().index, std::move(outer), it->second.get()};
  return true;
}

std::vector<Path> InstancesAbove(const PrimIndexRef& parent) {
  const OuterContext* outer = OuterContext::Of(parent);
  std::vector<Path> paths = PrimIndexBuilder::Instances(*parent.index);
  if (parent.index->instanceable()) paths.push_back(parent.index->nodes().front().path);
  if (!outer) return paths;
  for (Path& path : paths) path = outer->MapSourceToTarget(path);
  const std::vector<Path>& above = outer->way().instances;
  paths.insert(paths.begin(), above.begin(), above.end());
  return paths;
}

namespace {

void Unlink(GraphNode* node) {
  node->first_child = node->last_child = node->next = node->previous = kNoNode;
}

// Gives the root of a tree the arc by which the way reaches it.
void Attach(const PrimIndexNode& target, GraphNode* root) {
  root->arc = target.arc;
  root->parent = target.parent;
  root->origin = target.origin;
  root->sibling = target.sibling;
  root->depth = target.depth;
  root->to_parent = target.map_to_parent;
  root->due_to_ancestor = true;
}

// The chain, then the tree's nodes below it.
PrimGraph Join(PrimGraph graph, const PrimIndexNode& target, const PrimGraph& inner) {
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

// Puts the nodes of the chain in the place of those that stand in for them.
class StandInReplacer {
 public:
  StandInReplacer(const OuterContext& outer, const PrimGraph& from)
      : way_(outer.way()),
        prefix_(outer.stand_in()),
        from_(from),
        top_(StandInPath(way_.target.path, prefix_)),
        place_(from.size(), -1),
        maps_(way_.chain.size()) {
    // From the tree's namespace to that of each node of the chain.
    MapFunction map = way_.target.map_to_parent;
    for (size_t i = maps_.size(); i-- > 0;) {
      maps_[i] = map;
      map = way_.chain[i].map_to_parent.Compose(map);
    }
  }

  PrimGraph Run() {
    PrimGraph graph;
    for (NodeId id = 0; id < static_cast<NodeId>(from_.size()); ++id) {
      GraphNode node = from_[id];
      if (node.path.HasPrefix(prefix_)) {
        place_[static_cast<size_t>(id)] = next_;
        TakePlace(way_.chain[static_cast<size_t>(next_++)], &node);
      } else if (const int place = place_[static_cast<size_t>(node.parent)]; place >= 0) {
        MoveArc(static_cast<size_t>(place), &node);
      }
      node.to_root = node.parent == kNoNode ? MapFunction::Identity()
                                            : graph[node.parent].to_root.Compose(node.to_parent);
      Unlink(&node);
      graph.AddFinished(std::move(node));
    }
    return graph;
  }

 private:
  void TakePlace(const PrimIndexNode& real, GraphNode* node) const {
    const Path path = node->path.ReplacePrefix(top_, real.path);
    node->restricted_depth = Rebase(node->restricted_depth, node->path, path);
    node->path = path;
    node->stack = real.layer_stack;
    node->depth = real.depth;
    node->to_parent = real.map_to_parent;
  }

  // Of a node right below one of the chain.
  void MoveArc(size_t place, GraphNode* node) const {
    if (!IsClassArc(node->arc)) {  // the way's target: nothing else can be there
      node->depth = way_.target.depth;
      node->to_parent = way_.target.map_to_parent;
      return;
    }
    node->depth += NamespaceDepth(way_.chain[place].path) - NamespaceDepth(top_);
    std::vector<MapFunction::Pair> pairs;
    for (auto [source, target] : node->to_parent.pairs()) {
      if (target.HasPrefix(prefix_)) {
        target = maps_[place].MapSourceToTarget(
            target.ReplacePrefix(prefix_, Path::AbsoluteRoot(), /*fix_targets=*/false));
        if (target.empty()) continue;
      }
      pairs.emplace_back(source, target);
    }
    node->to_parent = MapFunction::Make(std::move(pairs), node->to_parent.offset());
  }

  const Way& way_;
  const Path prefix_;
  const PrimGraph& from_;
  const Path top_;
  std::vector<int> place_;  // in the chain, by node; -1: not of the chain
  int next_ = 0;
  std::vector<MapFunction> maps_;
};

}  // namespace

PrimGraph FullGraph(const PrimIndexRef& ref) {
  PrimGraph inner = PrimIndexBuilder::GraphOf(*ref.index);
  const OuterContext* outer = OuterContext::Of(ref);
  if (!outer) return inner;
  if (!outer->stand_in().empty()) return StandInReplacer(*outer, inner).Run();
  const Way& way = outer->way();
  PrimGraph graph;
  for (const PrimIndexNode& node : way.chain) {
    GraphNode copy = PrimIndexBuilder::NodeOf(node);
    copy.path = Moved(inner.root().path, way.target.path, node.path);
    graph.AddFinished(std::move(copy));
  }
  return Join(std::move(graph), way.target, inner);
}

PrimGraph StandInGraph(const PrimIndex& index, const OuterContext& stand_in) {
  const Way& way = stand_in.way();
  const Path prefix = stand_in.stand_in();
  const Path top = StandInPath(way.target.path, prefix);
  const PrimGraph inner = PrimIndexBuilder::GraphOf(index);
  PrimGraph graph;
  for (const PrimIndexNode& node : way.chain) {
    GraphNode copy = PrimIndexBuilder::NodeOf(node);
    copy.path = StandInPath(inner.root().path, prefix);
    copy.restricted_depth = Rebase(node.restricted_depth, node.path, top);
    if (node.parent >= 0) {
      copy.to_parent = MapFunction::Make({{prefix, prefix}}, node.map_to_parent.offset());
      copy.depth = NamespaceDepth(top) - DepthBelow(way, node);
      copy.to_root = graph[node.parent].to_root.Compose(copy.to_parent);
    }
    graph.AddFinished(std::move(copy));
  }
  PrimIndexNode target = way.target;
  target.depth = static_cast<uint32_t>(NamespaceDepth(top) - DepthBelow(way, way.target)) &
                 PrimIndexNode::kMaxDepth;
  std::vector<MapFunction::Pair> pairs;
  for (const auto& [source, image] : way.target.map_to_parent.pairs()) {
    pairs.emplace_back(source, image.empty() ? image : StandInPath(source, prefix));
  }
  target.map_to_parent = MapFunction::Make(std::move(pairs), target.map_to_parent.offset());
  return Join(std::move(graph), target, inner);
}

namespace {

// The classes of the root's own stack that the prim, not one above it, brings in, and theirs.
std::vector<NodeId> NewClasses(const PrimGraph& graph) {
  std::vector<NodeId> classes;
  const auto add = [&](NodeId parent) {
    for (const NodeId child : graph.Children(parent)) {
      const GraphNode& node = graph[child];
      const bool old = parent == 0 && node.due_to_ancestor;
      if (IsClassArc(node.arc) && !old && node.stack == graph.root().stack) {
        classes.push_back(child);
      }
    }
  };
  add(0);
  for (size_t i = 0; i < classes.size(); ++i) add(classes[i]);
  return classes;
}

}  // namespace

Demands DemandsOf(const IndexOutput& output, Path root_path, bool has_load_rules,
                  const OuterContext* stand_in) {
  Demands demands;
  demands.impossible = output.asked_above_tree || (has_load_rules && output.has_payloads);
  const PrimGraph& graph = output.graph;
  for (const NewArc& arc : output.new_arcs) {
    if (arc.type != Arc::kVariant) demands.arcs.push_back(arc.target);
  }
  for (const NodeId id : NewClasses(graph)) {
    const Path path = graph[id].path;
    // What is below the tree's root has no opinions from elsewhere.
    if (path.HasPrefix(root_path)) continue;
    if (stand_in && path.HasPrefix(stand_in->stand_in())) {
      demands.impossible = true;  // the places may have opinions about it
    } else {
      demands.classes.push_back(path);
    }
  }
  if (stand_in) {
    demands.opinions = demands.OpinionsOf(stand_in->way());
    demands.impossible |= !Demands::AreOfStageOnly(demands.opinions);
  }
  return demands;
}

}  // namespace stagedoor

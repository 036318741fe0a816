#include "scene/composition/shared_index.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "absl/container/inlined_vector.h"
#include "base/hash.h"
#include "scene/composition/prim_index_builder.h"

namespace stagedoor {
namespace {

// Whether a node can be above a shared root: it has no specs, and no classes to be implied,
// relocates or value clips that would matter to the prims below.
bool MayBeInChain(const PrimIndexNode& node) {
  const bool arc = node.arc == ArcType::kRoot || node.arc == ArcType::kReference ||
                   node.arc == ArcType::kPayload || node.arc == ArcType::kVariant;
  return arc && !node.has_specs() && !node.has_clips && !node.direct && !node.culled &&
         !node.layer_stack->has_relocates();
}

// The shared root of an index: the node, with the longest possible chain above it, whose subtree
// has all opinions. 0 if there is none. A longer chain makes the tree smaller, so that more prims
// share it.
size_t SharedRoot(const PrimIndex& index) {
  const auto nodes = index.nodes();
  absl::InlinedVector<int32_t, 16> children(nodes.size(), 0);
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
    hash = HashCombine(HashCombine(hash, node.path.hash()), node.layer_stack);
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

}  // namespace

SharedPrim* SharedPrim::Find(Token child) {
  MutexLock lock(mu_);
  if (!below_) return nullptr;
  const auto it = below_->children.find(child);
  return it == below_->children.end() ? nullptr : it->second;
}

SharedPrim* SharedPrim::Add(Token child, PrimIndexRef composed, SharingConstraints constraints) {
  MutexLock lock(mu_);
  SharedPrim*& place = MakeBelow().children[child];
  if (place == nullptr) {
    place = arena_.Make(arena_, std::move(composed), tree_root_, std::move(constraints), proxy_);
  }
  return place;
}

SharedPrim::Below& SharedPrim::MakeBelow() {
  if (!below_) {
    std::pmr::polymorphic_allocator<Below> allocator(arena_.pages());
    below_ = new (allocator.allocate(1)) Below(arena_.pages());
  }
  return *below_;
}

SharedPrim* SharedPrim::FindProxyLocked(const ArcPath& arc_path) {
  if (!below_) return nullptr;
  for (SharedPrim* site : below_->proxies) {
    const SharingConstraints* constraints = site->constraints();
    // The constraints include the opinions with which the site was composed.
    if (SameSteps(site->proxy()->arc_path(), arc_path) &&
        (!constraints || constraints->OpinionsMetBy(arc_path))) {
      return site;
    }
  }
  return nullptr;
}

SharedPrim* SharedPrim::FindProxyFor(const ArcPath& arc_path) {
  MutexLock lock(mu_);
  return FindProxyLocked(arc_path);
}

SharedPrim* SharedPrim::AddProxy(PrimIndexRef composed, Path tree_root,
                                 SharingConstraints constraints,
                                 std::shared_ptr<const OuterContext> proxy) {
  constexpr size_t kMost = 64;  // if places differ that much, sharing does not pay
  MutexLock lock(mu_);
  if (SharedPrim* known = FindProxyLocked(proxy->arc_path())) return known;
  auto& proxies = MakeBelow().proxies;
  if (proxies.size() >= kMost) return nullptr;
  return proxies.emplace_back(arena_.Make(arena_, std::move(composed), tree_root,
                                          std::move(constraints), std::move(proxy)));
}

template <typename... Args>
SharedPrim* SharedPrimArena::Make(Args&&... args) {
  std::pmr::polymorphic_allocator<SharedPrim> allocator(&pages_);
  auto* const prim = new (allocator.allocate(1)) SharedPrim(std::forward<Args>(args)...);
  prim->next_in_arena_ = last_.exchange(prim, std::memory_order_acq_rel);
  return prim;
}

void SharedPrimArena::Clear() {
  for (SharedPrim* prim = last_.exchange(nullptr); prim != nullptr;) {
    std::destroy_at(std::exchange(prim, prim->next_in_arena_));
  }
  pages_.Clear();
}

SharedTrees::SharedTrees(MemoryPool* memory) {
  for (size_t i = 0; i < kShards; ++i) shards_.push_back(std::make_unique<Shard>(memory));
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
  Shard& shard = *shards_[hash % kShards];
  MutexLock lock(shard.mu);
  const auto [begin, end] = shard.roots.equal_range(hash);
  auto it = std::find_if(begin, end, [&](const auto& root) {
    return IsPart(root.second->ref().index->nodes(), nodes, k);
  });
  // Under the lock of the shard, so that equal parts never become two trees.
  if (it == end) {
    PrimIndexRef part;
    part.index = PrimIndexBuilder::Extract(*index, k);
    it = shard.roots.emplace(hash, shard.arena.Make(shard.arena, std::move(part), nodes[k].path,
                                                    SharingConstraints(), nullptr));
  }
  *ref = {it->second->ref().index, std::move(outer), it->second};
  return true;
}

void SharedTrees::Clear() {
  for (const auto& shard : shards_) {
    MutexLock lock(shard->mu);
    decltype(shard->roots)().swap(shard->roots);
    shard->arena.Clear();
  }
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

}  // namespace stagedoor

#ifndef STAGEDOOR_SCENE_COMPOSITION_SHARED_INDEX_H_
#define STAGEDOOR_SCENE_COMPOSITION_SHARED_INDEX_H_

#include <atomic>
#include <memory>
#include <memory_resource>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/memory_pool.h"
#include "base/mutex.h"
#include "base/page_arena.h"
#include "scene/composition/outer_context.h"
#include "scene/composition/prim_index.h"
#include "scene/composition/sharing_constraints.h"

namespace stagedoor {

// Prim indexes that several prims of a stage share (docs/decisions/shared-composition.md).
//
// OpenUSD composes an asset again for every prim that references it, unless the prim is an
// instance. Here, if all opinions about a prim come from the target of one arc, the indexes of its
// descendants are composed once for all such prims. This follows from Core Specification, 10.2.1
// Outline: a child starts from the sites of its parent, and a site without specs has none below.
//
// Glossary, in Pcp's terms:
//
// - site: here, a prim of the stage at which a shared index is used, that is a PcpLayerStackSite of
//   the root layer stack.
// - shared root: the node of the site's index, with a reference or payload arc, whose subtree has
//   all opinions. The subtree is extracted as an index of its own with this node as its root.
// - tree: the index of the shared root and those of its descendants, composed lazily as if the
//   shared root were a prim of a stage; a tree of SharedPrims. Sites use the same tree if the
//   subtrees of their shared roots are equal node by node. Trees nest: a prim of a tree can be a
//   site that uses another tree.
// - ArcPath (arc_path.h): the arcs of the site's graph from its root node to the shared root. The
//   `chain` of an arc path are the nodes above the shared root, which have no specs; its `target`
//   is the shared root.
// - OuterContext (outer_context.h): an ArcPath with the mapToRoot of the shared root, which maps
//   the paths and times of the tree to those of the stage.
// - SharingConstraints (sharing_constraints.h): the conditions that a site must meet to use a
//   shared index. They are about what the layer stacks of the chain would add if the site composed
//   for itself: cycles (_CheckForCycle), opinions about classes that are implied there
//   (_EvalImpliedClasses), variant selections, and load rules. A site that does not meet them
//   composes for itself.
// - proxy: stands for all sites whose arc paths consist of the same arcs. It is a prim at a path
//   that no layer can contain. If the root layer stack, and no other of the chain, has opinions
//   about the global classes in a tree, the index is composed once more, for the proxy and with
//   these opinions, and all its sites share the result.

class SharedPrim;

// Makes the prims of trees, in memory that serves only them: there may be millions, which nobody
// needs once a stage is populated. Thread-safe.
class SharedPrimArena {
 public:
  // `memory`, which may be null, is charged with the prims, and outlives the arena.
  explicit SharedPrimArena(MemoryPool* memory) : pages_(memory) {}
  SharedPrimArena(const SharedPrimArena&) = delete;
  SharedPrimArena& operator=(const SharedPrimArena&) = delete;
  ~SharedPrimArena() { Clear(); }

  // The arguments are those of SharedPrim.
  template <typename... Args>
  SharedPrim* Make(Args&&... args);
  // Ends all prims. Nobody may be using them.
  void Clear();

  std::pmr::memory_resource* pages() { return &pages_; }

 private:
  PageArena pages_;
  std::atomic<SharedPrim*> last_{nullptr};  // of a list through next_in_arena_
};

// A prim of a tree. Its children are composed when they are needed. Thread-safe; lives until its
// SharedPrimArena is cleared.
class SharedPrim {
 public:
  // `proxy` is the context of the proxy that the prim was composed for; null if there is
  // none.
  SharedPrim(SharedPrimArena& arena, PrimIndexRef ref, Path tree_root,
             SharingConstraints constraints, std::shared_ptr<const OuterContext> proxy)
      : arena_(arena),
        ref_(std::move(ref)),
        tree_root_(tree_root),
        constraints_(constraints.Empty()
                         ? nullptr
                         : std::make_unique<const SharingConstraints>(std::move(constraints))),
        proxy_(std::move(proxy)) {}

  // The index, in the namespace of the tree's root. If the prim itself uses another tree, its index
  // is in that one, and the reference has the arc path there.
  const PrimIndexRef& ref() const { return ref_; }
  // Null if every site may use the index.
  const SharingConstraints* constraints() const { return constraints_.get(); }
  Path tree_root() const { return tree_root_; }
  const std::shared_ptr<const OuterContext>& proxy() const { return proxy_; }

  // The child of that name; null if it is not composed yet.
  SharedPrim* Find(Token child);
  // Adds a child, for which `composed` and `constraints` are those of the constructor, and returns
  // it, or the one that another thread has added before.
  SharedPrim* Add(Token child, PrimIndexRef composed, SharingConstraints constraints);

  // This prim as composed for the proxy of sites with an arc path like this; null if there is none
  // yet.
  SharedPrim* FindProxyFor(const ArcPath& arc_path);
  // Adds such a prim and returns it, or the one that is there already; null if there are too many.
  SharedPrim* AddProxy(PrimIndexRef composed, Path tree_root, SharingConstraints constraints,
                       std::shared_ptr<const OuterContext> proxy);

 private:
  friend class SharedPrimArena;

  // Data that the leaves of a tree do not have. Never destroyed: all of its memory is in the arena.
  struct Below {
    explicit Below(std::pmr::memory_resource* memory) : children(memory), proxies(memory) {}
    std::pmr::unordered_map<Token, SharedPrim*> children;
    std::pmr::vector<SharedPrim*> proxies;  // see FindProxyFor
  };
  SharedPrim* FindProxyLocked(const ArcPath& arc_path) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_);
  Below& MakeBelow() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_);

  SharedPrimArena& arena_;
  SharedPrim* next_in_arena_ = nullptr;
  const PrimIndexRef ref_;
  const Path tree_root_;
  const std::unique_ptr<const SharingConstraints> constraints_;
  const std::shared_ptr<const OuterContext> proxy_;
  Mutex mu_;
  Below* below_ ABSL_GUARDED_BY(mu_) = nullptr;
};

// The roots of all trees of a composer, found by the nodes of their indexes. Thread-safe.
class SharedTrees {
 public:
  // `memory`, which may be null, is charged with the trees, and outlives them.
  explicit SharedTrees(MemoryPool* memory);

  // Replaces an index by that of a shared root, if it has one, with the arc path to it in `*ref`.
  // False if it has none, because the site has opinions of its own.
  bool Share(const std::shared_ptr<const PrimIndex>& index, PrimIndexRef* ref);
  // Frees all trees. Indexes that prims refer to live on.
  void Clear();

 private:
  static constexpr size_t kShards = 16;
  struct Shard {
    explicit Shard(MemoryPool* memory) : arena(memory) {}
    SharedPrimArena arena;  // of the trees with these roots
    Mutex mu;
    std::unordered_multimap<size_t, SharedPrim*> roots ABSL_GUARDED_BY(mu);
  };
  std::vector<std::unique_ptr<Shard>> shards_;
};

// The stage paths of the prim and its namespace ancestors that are instances.
std::vector<Path> InstancesAbove(const PrimIndexRef& parent);

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_COMPOSITION_SHARED_INDEX_H_

// Prim indexes that several prims of a stage share (docs/decisions/shared-composition.md).
//
// OpenUSD composes an asset again for every prim that references it, unless the prim is an
// instance. Here, if all opinions about a prim come from the target of one arc, the indexes of its
// descendants are composed once for all such prims. This follows from Core Specification, 10.2.1
// Outline: a child starts from the sites of its parent, and a site without specs has none below.
//
// Glossary, in Pcp's terms:
//
// - site: a prim of the stage at which a shared index is used, which is a site (PcpLayerStackSite)
//   of the root layer stack.
// - shared root: the node of the site's index, with a reference or payload arc, whose subtree has
//   all opinions. The subtree is extracted as an index of its own with this node as its root.
// - tree: the index of the shared root and those of its descendants, composed lazily as if the
//   shared root were a prim of a stage; a tree of SharedPrims. Sites use the same tree if the
//   subtrees of their shared roots are equal node by node. Trees nest: a prim of a tree can be a
//   place that uses another tree.
// - ArcPath: the path along the arcs of the site's graph, from its root node to the shared root.
// The
//   `chain` of an arc path are the nodes above the shared root, which have no specs; its `target`
//   is the shared root.
// - OuterContext: an ArcPath with the mapToRoot of the shared root, which maps the paths and times
// of
//   the tree to those of the stage.
// - SharingConstraints: the constraints under which a site may use a shared index. They are about
// what the
//   layer stacks of the chain would add if the site composed for itself: cycles (_CheckForCycle),
//   opinions about classes that are implied there (_EvalImpliedClasses), variant selections, and
//   load rules. A site that does not meet them does compose for itself.
// - proxy: a proxy for all sites whose arc paths consist of the same arcs. It is a prim at a path
//   that no layer can contain. If the root layer stack, and no other of the chain, has opinions
//   about the global classes in a tree, the index is composed once more, for the proxy and with
//   these opinions, and all its sites share the result.
#ifndef STAGEDOOR_SCENE_COMPOSITION_SHARED_INDEX_H_
#define STAGEDOOR_SCENE_COMPOSITION_SHARED_INDEX_H_

#include <atomic>
#include <memory>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/memory_account.h"
#include "base/mutex.h"
#include "scene/composition/map_function.h"
#include "scene/composition/prim_index.h"
#include "scene/composition/prim_index_graph.h"
#include "scene/composition/prim_indexer.h"

namespace stagedoor {

// The arcs by which a tree is reached from the stage. See the glossary.
struct ArcPath {
  // The nodes above the shared root, strongest first, at the site where sharing began.
  std::vector<PrimIndexNode> chain;
  PrimIndexNode target;         // the node that became the shared root
  std::vector<Path> instances;  // the namespace ancestors of the tree that are instances
  // Keeps the nodes' layer stacks alive. Null in a joined arc path, whose parts keep them.
  std::shared_ptr<const LayerStackSet> stacks;

  size_t byte_size() const {
    return sizeof(*this) + chain.capacity() * sizeof(PrimIndexNode) +
           instances.capacity() * sizeof(Path) + 3 * kHeapBlockBytes;
  }
};

// An ArcPath, and the mapping from the tree's namespace to the stage's. Immutable, thread-safe;
// shared by all PrimIndexRefs that are reached by it.
class OuterContext final : public StageMapFunction {
 public:
  // `memory`, which may be null, is charged with the context.
  OuterContext(MapFunction map, ArcPath arc_path, MemoryAccount* memory);
  // For a tree in a tree: `inner` starts in the tree that `outer` leads to.
  OuterContext(std::shared_ptr<const OuterContext> outer,
               std::shared_ptr<const OuterContext> inner);
  ~OuterContext();

  // The arc path from the stage, also if the context is that of a proxy. For a tree in a tree, the
  // two arc paths are joined on first use.
  const ArcPath& arc_path() const;

  static const OuterContext* Of(const PrimIndexRef& ref) {
    return static_cast<const OuterContext*>(ref.outer.get());
  }
  // A context that applies `inner` and then `outer`, either of which may be null.
  static std::shared_ptr<const OuterContext> Combine(std::shared_ptr<const OuterContext> outer,
                                                     std::shared_ptr<const OuterContext> inner);
  // The context of the proxy for the sites that `outer` leads to; null if there can be none,
  // such as where the chain has variants.
  static std::shared_ptr<const OuterContext> ForProxy(
      const std::shared_ptr<const OuterContext>& outer);

 private:
  OuterContext(const OuterContext* real, MapFunction map, Path proxy_path);
  ArcPath Join() const;

  const OuterContext* const real_ = nullptr;  // the owner of a proxy's context
  const std::shared_ptr<const OuterContext> outer_, inner_;
  mutable std::atomic<const ArcPath*> arc_path_ = nullptr;
  mutable std::atomic<const OuterContext*> proxy_context_ = nullptr;
  mutable MemoryCharge charge_;
};

// The constraints under which a site may use a shared index.
struct SharingConstraints {
  bool unshareable = false;   // never: the index depends on load rules or selections of the site
  std::vector<Site> arcs;     // targets that must not form a cycle with the chain
  std::vector<Path> classes;  // global classes, which may have opinions in the chain's layer stacks
  // For each node of the chain its layer stack if that has opinions about the classes, else null,
  // as the index was composed; empty if it was composed without any such opinions.
  std::vector<const LayerStack*> opinions;

  bool Empty() const { return !unshareable && arcs.empty() && classes.empty(); }
  // Whether the arc path meets all constraints except those on opinions about classes.
  bool FixedConstraintsMetBy(const ArcPath& arc_path) const;
  // Whether the layer stacks of the arc path have the opinions that the index was composed with.
  bool OpinionsMetBy(const ArcPath& arc_path) const;
  // What `opinions` would be for the arc path.
  std::vector<const LayerStack*> OpinionsOf(const ArcPath& arc_path) const;
  // Whether only the root layer stack has opinions. Paths in opinions of other stacks would have to
  // be mapped by the arcs of each site, so a proxy cannot have them.
  static bool AreStageOnly(const std::vector<const LayerStack*>& opinions);
};

// A prim of a tree. Its children are composed when they are needed. Thread-safe; lives as long as
// the composer.
class SharedPrim {
 public:
  // `proxy` is the context of the proxy that the prim was composed for; null if there is
  // none.
  SharedPrim(PrimIndexRef ref, Path tree_root, SharingConstraints constraints,
             std::shared_ptr<const OuterContext> proxy)
      : ref_(std::move(ref)),
        tree_root_(tree_root),
        constraints_(constraints.Empty()
                         ? nullptr
                         : std::make_unique<const SharingConstraints>(std::move(constraints))),
        proxy_(std::move(proxy)),
        charge_(ref_.index->memory()) {
    charge_.Grow(sizeof(*this) + kSharedPrimBytes +
                 (constraints_ ? sizeof(SharingConstraints) : 0));
  }

  // The index, in the namespace of the tree's root. If the prim itself uses another tree, its index
  // is in that one, and the reference has the arc path there.
  const PrimIndexRef& ref() const { return ref_; }
  // Null if every place may use the index.
  const SharingConstraints* constraints() const { return constraints_.get(); }
  Path tree_root() const { return tree_root_; }
  const std::shared_ptr<const OuterContext>& proxy() const { return proxy_; }

  // The child of that name; null if it is not composed yet.
  SharedPrim* Find(Token child);
  // Adds a child and returns it, or the one that another thread has added before.
  SharedPrim* Add(Token child, std::unique_ptr<SharedPrim> site);

  // The same prim as composed for the proxy of sites with an arc path like this; null if there is
  // none yet.
  SharedPrim* FindProxyFor(const ArcPath& arc_path);
  // Adds such a prim and returns it, or the one that is there already; null if there are too many.
  SharedPrim* AddProxy(std::unique_ptr<SharedPrim> site);

 private:
  // The memory of its entry in the parent, and a share of the Below objects.
  static constexpr size_t kSharedPrimBytes = 4 * sizeof(void*) + 2 * kHeapBlockBytes;

  // Data that the leaves of a tree do not have.
  struct Below {
    std::unordered_map<Token, std::unique_ptr<SharedPrim>> children;
    std::vector<std::unique_ptr<SharedPrim>> proxies;  // see FindProxyFor
  };
  SharedPrim* FindProxyLocked(const ArcPath& arc_path) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_);
  Below& MakeBelow() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_);

  const PrimIndexRef ref_;
  const Path tree_root_;
  const std::unique_ptr<const SharingConstraints> constraints_;
  const std::shared_ptr<const OuterContext> proxy_;
  Mutex mu_;
  std::unique_ptr<Below> below_ ABSL_GUARDED_BY(mu_);
  MemoryCharge charge_;
};

// The roots of all trees of a composer, found by the nodes of their indexes. Thread-safe.
class SharedTrees {
 public:
  // Replaces an index by that of a shared root, if it has one, with the arc path to it in `*ref`.
  // False if it has none, because the site has opinions of its own.
  bool Share(const std::shared_ptr<const PrimIndex>& index, PrimIndexRef* ref);

 private:
  static constexpr size_t kShards = 16;
  struct Shard {
    Mutex mu;
    std::unordered_multimap<size_t, std::unique_ptr<SharedPrim>> roots ABSL_GUARDED_BY(mu);
  };
  Shard shards_[kShards];
};

// The stage paths of the prim and its namespace ancestors that are instances.
std::vector<Path> InstancesAbove(const PrimIndexRef& parent);

// The graph of a prim as OpenUSD would have it, with the chain above the shared root, from which a
// place composes the children for itself.
PrimIndexGraph FullGraph(const PrimIndexRef& ref);
// The graph of a prim of a tree as seen from a proxy.
PrimIndexGraph ProxyGraph(const PrimIndex& index, const OuterContext& proxy);

// The constraints on an index that was just composed in a tree with its root at `root_path`.
// `proxy` is the context of the proxy that it was composed for; null if there is none.
SharingConstraints SharingConstraintsOf(const PrimIndexOutputs& output, Path root_path,
                                        bool has_load_rules, const OuterContext* proxy);

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_COMPOSITION_SHARED_INDEX_H_

#ifndef STAGEDOOR_SCENE_COMPOSITION_SHARED_INDEX_H_
#define STAGEDOOR_SCENE_COMPOSITION_SHARED_INDEX_H_

#include <memory>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/heap_costs.h"
#include "base/mutex.h"
#include "base/reservation.h"
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
    charge_.Add(sizeof(*this) + kSharedPrimBytes + (constraints_ ? sizeof(SharingConstraints) : 0));
  }

  // The index, in the namespace of the tree's root. If the prim itself uses another tree, its index
  // is in that one, and the reference has the arc path there.
  const PrimIndexRef& ref() const { return ref_; }
  // Null if every site may use the index.
  const SharingConstraints* constraints() const { return constraints_.get(); }
  Path tree_root() const { return tree_root_; }
  const std::shared_ptr<const OuterContext>& proxy() const { return proxy_; }

  // The child of that name; null if it is not composed yet.
  SharedPrim* Find(Token child);
  // Adds a child and returns it, or the one that another thread has added before.
  SharedPrim* Add(Token child, std::unique_ptr<SharedPrim> site);

  // This prim as composed for the proxy of sites with an arc path like this; null if there is none
  // yet.
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
  Reservation charge_;
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

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_COMPOSITION_SHARED_INDEX_H_

// Indexes that several sites of a stage share (docs: "the same asset is composed once").
//
// Where only one arc's target still has opinions about a prim, what is below follows from that
// target alone: it is composed once, as if the target were the root of a stage, in a tree of
// SharedSites, and seen from each place through an OuterContext. What is found further down may
// still depend on the place (a class that the place has opinions about, an arc back into it, a load
// rule); such demands are remembered with the shared index and checked for each place. Where only
// the stage's own layers have opinions about global classes, the site is composed once more, for a
// stand-in that has the layer stacks of the place (see StageMap), and that is shared by all places
// with the same opinions. Where anything else is not met, the place
// composes for itself.
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
#include "scene/composition/prim_graph.h"
#include "scene/composition/prim_index.h"
#include "scene/composition/prim_indexer.h"

namespace stagedoor {

// How a shared tree is reached from the stage.
struct Way {
  // The nodes above the shared root where sharing began, strongest first; they have no specs there.
  std::vector<PrimIndexNode> chain;
  PrimIndexNode target;                         // the node that became the shared root
  std::vector<Path> instances;                  // prims above the tree that are instances
  std::shared_ptr<const LayerStackSet> stacks;  // keeps those of the nodes; not when joined

  size_t byte_size() const {
    return sizeof(*this) + chain.capacity() * sizeof(PrimIndexNode) +
           instances.capacity() * sizeof(Path) + 3 * kHeapBlockBytes;
  }
};

// A way, and the mapping of the tree's namespace to the stage's. Immutable, thread-safe.
class OuterContext final : public StageMap {
 public:
  // `memory`, which may be null, is charged with it.
  OuterContext(MapFunction map, Way way, MemoryAccount* memory);
  // A tree in a tree: `inner` starts at the root of the tree that `outer` leads to.
  OuterContext(std::shared_ptr<const OuterContext> outer,
               std::shared_ptr<const OuterContext> inner);
  ~OuterContext();

  // That of the tree in it also for a stand-in. Joined when first asked for.
  const Way& way() const;

  static const OuterContext* Of(const PrimIndexRef& ref) {
    return static_cast<const OuterContext*>(ref.outer.get());
  }
  static std::shared_ptr<const OuterContext> Combine(std::shared_ptr<const OuterContext> outer,
                                                     std::shared_ptr<const OuterContext> inner);
  // From stand-ins for prims of the tree that `outer` leads to. Null when there can be none.
  static std::shared_ptr<const OuterContext> StandIn(
      const std::shared_ptr<const OuterContext>& outer);

 private:
  OuterContext(const OuterContext* real, MapFunction map, Path stand_in);
  Way Join() const;

  const OuterContext* const real_ = nullptr;  // of a stand-in's: what owns it
  const std::shared_ptr<const OuterContext> outer_, inner_;
  mutable std::atomic<const Way*> way_ = nullptr;
  mutable std::atomic<const OuterContext*> stand_in_context_ = nullptr;
  mutable MemoryCharge charge_;
};

// What taking a shared index asks of the place.
struct Demands {
  bool impossible = false;    // the index depends on the place's load rules
  std::vector<Site> arcs;     // must not lead back into the chain
  std::vector<Path> classes;  // global ones
  // The stacks of the chain that have opinions about the classes, null for those that have none, as
  // they were when it was composed. Empty: none has.
  std::vector<const LayerStack*> opinions;

  bool Empty() const { return !impossible && arcs.empty() && classes.empty(); }
  // All but the opinions about classes.
  bool FixedMetBy(const Way& way) const;
  // The opinions are those of the way's chain.
  bool OpinionsMetBy(const Way& way) const;
  std::vector<const LayerStack*> OpinionsOf(const Way& way) const;
  // Paths in those of other stacks would have to be mapped by the arcs of each place.
  static bool AreOfStageOnly(const std::vector<const LayerStack*>& opinions);
};

// A prim of a shared tree. Its children are composed when asked for. Thread-safe.
class SharedSite {
 public:
  // `stand_in`: that the tree's root was composed for; null: for none.
  SharedSite(PrimIndexRef ref, Path tree_root, Demands demands,
             std::shared_ptr<const OuterContext> stand_in)
      : ref_(std::move(ref)),
        tree_root_(tree_root),
        demands_(demands.Empty() ? nullptr : std::make_unique<const Demands>(std::move(demands))),
        stand_in_(std::move(stand_in)),
        charge_(ref_.index->memory()) {
    charge_.Grow(sizeof(*this) + kSiteBytes + (demands_ ? sizeof(Demands) : 0));
  }

  // Relative to the tree's root; into another tree when the same happens further down.
  const PrimIndexRef& ref() const { return ref_; }
  // Null when there are none.
  const Demands* demands() const { return demands_.get(); }
  Path tree_root() const { return tree_root_; }
  const std::shared_ptr<const OuterContext>& stand_in() const { return stand_in_; }

  SharedSite* Find(Token child);
  // Keeps the first site of a name.
  SharedSite* Add(Token child, std::unique_ptr<SharedSite> site);

  // The same prim composed for a stand-in at a place like `way`; null when there is none yet.
  SharedSite* FindFor(const Way& way);
  // Keeps the first site of places that are alike. Null when there are too many.
  SharedSite* AddFor(std::unique_ptr<SharedSite> site);

 private:
  // Its place among its siblings, and what few sites have.
  static constexpr size_t kSiteBytes = 4 * sizeof(void*) + 2 * kHeapBlockBytes;

  // What the leaves of a tree do not have.
  struct Below {
    std::unordered_map<Token, std::unique_ptr<SharedSite>> children;
    std::vector<std::unique_ptr<SharedSite>> placed;
  };
  SharedSite* FindPlaced(const Way& way) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_);
  Below& MakeBelow() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_);

  const PrimIndexRef ref_;
  const Path tree_root_;
  const std::unique_ptr<const Demands> demands_;
  const std::shared_ptr<const OuterContext> stand_in_;
  Mutex mu_;
  std::unique_ptr<Below> below_ ABSL_GUARDED_BY(mu_);
  MemoryCharge charge_;
};

// The roots of all shared trees, by what they are composed of. Thread-safe.
class SharedTrees {
 public:
  // The tree that an index belongs to and how it is reached; false when the place has opinions of
  // its own.
  bool Share(const std::shared_ptr<const PrimIndex>& index, PrimIndexRef* ref);

 private:
  static constexpr size_t kShards = 16;
  struct Shard {
    Mutex mu;
    std::unordered_multimap<size_t, std::unique_ptr<SharedSite>> roots ABSL_GUARDED_BY(mu);
  };
  Shard shards_[kShards];
};

// The prims that are instances above the children of a prim, and it if it is one, on the stage.
std::vector<Path> InstancesAbove(const PrimIndexRef& parent);

// The graph of a prim seen from the stage, for composing what is below it in full.
PrimGraph FullGraph(const PrimIndexRef& ref);
// The graph of a prim of a tree seen from a stand-in for the places that `outer` leads to.
PrimGraph StandInGraph(const PrimIndex& index, const OuterContext& stand_in);

// The demands of an index just composed in a tree whose root is at `root_path`; `stand_in`: the
// context when it was composed for one, else null.
Demands DemandsOf(const IndexOutput& output, Path root_path, bool has_load_rules,
                  const OuterContext* stand_in);

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_COMPOSITION_SHARED_INDEX_H_

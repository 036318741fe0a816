// Indexes that several sites of a stage share (docs: "the same asset is composed once").
//
// Where only one arc's target still has opinions about a prim, what is below follows from that
// target alone: it is composed once, as if the target were the root of a stage, in a tree of
// SharedSites, and seen from each place through an OuterContext. What is found further down may
// still depend on the place (a class that the place has opinions about, an arc back into it, a load
// rule); such demands are remembered with the shared index and checked for each place, which
// composes for itself where they are not met.
#ifndef STAGEDOOR_SCENE_COMPOSITION_SHARED_INDEX_H_
#define STAGEDOOR_SCENE_COMPOSITION_SHARED_INDEX_H_

#include <memory>
#include <unordered_map>
#include <vector>

#include "base/mutex.h"
#include "scene/composition/map_function.h"
#include "scene/composition/prim_graph.h"
#include "scene/composition/prim_index.h"
#include "scene/composition/prim_indexer.h"

namespace stagedoor {

// How a shared tree is reached from the root of the index that holds it: also the mapping of its
// namespace to that root's. Immutable.
class OuterContext final : public MapFunction {
 public:
  OuterContext(MapFunction map, std::vector<PrimIndexNode> chain, PrimIndexNode target,
               std::vector<Path> instances)
      : MapFunction(std::move(map)),
        chain_(std::move(chain)),
        target_(std::move(target)),
        instances_(std::move(instances)) {}

  // The nodes above the shared root where sharing began, strongest first; they have no specs there.
  const std::vector<PrimIndexNode>& chain() const { return chain_; }
  // The node that became the shared root.
  const PrimIndexNode& target() const { return target_; }
  // Prims above the tree that are instances.
  const std::vector<Path>& instances() const { return instances_; }

  static const OuterContext* Of(const PrimIndexRef& ref) {
    return static_cast<const OuterContext*>(ref.outer.get());
  }
  // Of a tree in a tree: from the root that `outer` starts at.
  static std::shared_ptr<const OuterContext> Combine(
      const std::shared_ptr<const OuterContext>& outer,
      const std::shared_ptr<const OuterContext>& inner);

 private:
  const std::vector<PrimIndexNode> chain_;
  const PrimIndexNode target_;
  const std::vector<Path> instances_;
};

// What taking a shared index asks of the place.
struct Demands {
  bool impossible = false;    // the index depends on the place's load rules
  std::vector<Site> arcs;     // must not lead back into the chain
  std::vector<Path> classes;  // global ones: the stacks of the chain must have no opinions
  bool Empty() const { return !impossible && arcs.empty() && classes.empty(); }
  bool MetBy(const OuterContext& outer) const;
};

// A prim of a shared tree. Its children are composed when asked for. Thread-safe.
class SharedSite {
 public:
  SharedSite(PrimIndexRef ref, Path tree_root, Demands demands)
      : ref_(std::move(ref)), tree_root_(tree_root), demands_(std::move(demands)) {}

  // Relative to the tree's root; into another tree when the same happens further down.
  const PrimIndexRef& ref() const { return ref_; }
  const Demands& demands() const { return demands_; }
  Path tree_root() const { return tree_root_; }

  SharedSite* Find(Token child);
  // Keeps the first site of a name.
  SharedSite* Add(Token child, std::unique_ptr<SharedSite> site);

 private:
  const PrimIndexRef ref_;
  const Path tree_root_;
  const Demands demands_;
  Mutex mu_;
  std::unordered_map<Token, std::unique_ptr<SharedSite>> children_ ABSL_GUARDED_BY(mu_);
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

// The demands of an index just composed in a tree whose root is at `root_path`.
Demands DemandsOf(const IndexOutput& output, Path root_path, bool has_load_rules);

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_COMPOSITION_SHARED_INDEX_H_

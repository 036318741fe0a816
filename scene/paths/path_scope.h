#ifndef STAGEDOOR_SCENE_PATHS_PATH_SCOPE_H_
#define STAGEDOOR_SCENE_PATHS_PATH_SCOPE_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "base/mutex.h"
#include "base/request_scope.h"
#include "base/reservation.h"
#include "scene/paths/path.h"
#include "scene/paths/path_node.h"
#include "scene/paths/pointer_set.h"

namespace stagedoor {

// Keeps alive every path that is created by threads working for it. A stage has one for the paths
// that composition and queries create, which can be many times those of its layers. OpenUSD has no
// counterpart: it reference-counts each SdfPath.
//
// An object that keeps paths and outlives the scope in which they were created must create them in
// a scope of its own, or Keep() them. Paths that are created outside of any scope live as long as
// the process. Layers that are shared by many stages are read in this way, because the number of
// paths in a file is bounded by its size.
//
// Thread-safe. Always owned by a shared_ptr.
class PathScope final : public ScopeOwner {
 public:
  // Creates a scope. `memory` may be null; otherwise it is charged with the paths that this scope
  // is the first to hold, and must outlive the scope. Paths that `base` holds are not held again;
  // the scope keeps `base` alive.
  static std::shared_ptr<PathScope> Create(MemoryPool* memory = nullptr,
                                           std::shared_ptr<const PathScope> base = nullptr);
  // Creates a scope for few paths, for objects of which there may be many. It takes less memory,
  // but is slow if many threads create paths at once.
  static std::shared_ptr<PathScope> CreateSmall();
  // The scope for the successor of an object whose scope is `before`, such as the next snapshot of
  // a stage, which shares most paths with it. The first successor gets a new scope based on
  // `before`, because several sessions may each derive their own; later successors reuse the scope
  // of their predecessor. If `before` is null, a new scope without a base.
  static std::shared_ptr<PathScope> CreateSuccessor(const std::shared_ptr<PathScope>& before);
  ~PathScope() override;

  // The scope that the calling thread works for; null if there is none.
  static PathScope* Current() { return static_cast<PathScope*>(RequestScope::Current().owner); }

  // Holds a path that was created in another scope.
  void Keep(Path path);

  // The number of paths that this scope holds, not counting those of its base.
  size_t count() const;

 private:
  friend class PathTable;
  using Node = PathNode;
  // The nodes that a scope holds: in `own` those whose Node::holder is this scope, in `others`
  // those that had another holder when this scope began to hold them.
  struct Shard {
    mutable Mutex mu;
    std::vector<const Node*> own ABSL_GUARDED_BY(mu);
    PointerSet<Node> others ABSL_GUARDED_BY(mu);

    void ReserveOwn() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu);
  };
  static constexpr size_t kShards = 16;

  PathScope(MemoryPool* memory, std::shared_ptr<const PathScope> base, size_t shards);

  // False if the node is about to be removed from the table.
  bool Hold(const Node* node);
  bool Holds(const Node* node) const;
  Shard& ShardOf(const Node* node) const { return shards_[(node->hash >> 8) % shard_count_]; }

  const uint32_t id_;  // never 0; unique among living scopes
  const std::shared_ptr<const PathScope> base_;
  Reservation memory_;
  const size_t shard_count_;
  const std::unique_ptr<Shard[]> shards_;
};

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_PATHS_PATH_SCOPE_H_

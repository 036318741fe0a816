#ifndef STAGEDOOR_SCENE_PATHS_PATH_SCOPE_H_
#define STAGEDOOR_SCENE_PATHS_PATH_SCOPE_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "base/memory_account.h"
#include "base/mutex.h"
#include "base/work_scope.h"
#include "scene/paths/path.h"
#include "scene/paths/pointer_set.h"

namespace stagedoor {

// Holds every path that is made by threads that work for it, for as long as it lives: what
// composing a stage or answering about it makes, which can be many times what the layers say.
//
// Whatever keeps paths and outlives the scope in which they were made must make them in a scope of
// its own, or Keep them. Outside of scopes paths are made for the life of the process; layers that
// many stages share are read there (a file's paths are no more than its text).
//
// Thread-safe. Held by shared_ptr only.
class PathScope final : public WorkScope {
 public:
  // `memory`, which may be null, is charged with the paths that it is the first to hold, and
  // outlives it. Paths that `base` holds are left to that, which lives as long.
  static std::shared_ptr<PathScope> Create(MemoryAccount* memory = nullptr,
                                           std::shared_ptr<const PathScope> base = nullptr);
  // The same for few paths, of something that there may be many of: takes less itself, and is slow
  // where many threads make paths at once.
  static std::shared_ptr<PathScope> CreateSmall();
  // For what follows something that `before` is of, and shares paths with it. Many may follow the
  // same, each in a session of its own; after that one follows the other, and has the same scope.
  // Null: there is nothing before.
  static std::shared_ptr<PathScope> After(const std::shared_ptr<PathScope>& before);
  ~PathScope() override;

  // The scope that the calling thread works for; null: none.
  static PathScope* Current() { return static_cast<PathScope*>(current()); }

  // Holds a path that was made elsewhere.
  void Keep(Path path);

  // How many paths it holds, those of its base left out.
  size_t count() const;

 private:
  friend class PathTable;
  using Node = Path::Node;
  // What it holds: nodes that name it as their holder, and those that name another one, or did when
  // it came to hold them.
  struct Shard {
    mutable Mutex mu;
    std::vector<const Node*> own ABSL_GUARDED_BY(mu);
    PointerSet<Node> others ABSL_GUARDED_BY(mu);

    void ReserveOwn() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu);
  };
  static constexpr size_t kShards = 16;

  PathScope(MemoryAccount* memory, std::shared_ptr<const PathScope> base, size_t shards);

  // False where the node is on its way out of the table.
  bool Hold(const Node* node);
  bool Holds(const Node* node) const;
  Shard& ShardOf(const Node* node) const { return shards_[(node->hash >> 8) % shard_count_]; }

  const uint32_t id_;  // not 0, and no other living scope's
  const std::shared_ptr<const PathScope> base_;
  MemoryCharge memory_;
  const size_t shard_count_;
  const std::unique_ptr<Shard[]> shards_;
};

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_PATHS_PATH_SCOPE_H_

#ifndef STAGEDOOR_SERVER_STAGES_SNAPSHOT_HISTORY_H_
#define STAGEDOOR_SERVER_STAGES_SNAPSHOT_HISTORY_H_

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <unordered_map>
#include <utility>

#include "base/mutex.h"
#include "server/stages/stage_snapshot.h"

namespace stagedoor {

// The snapshots that edits have replaced and that clients may still have pinned, of all sessions:
// in one place, so that the oldest of all goes first when memory is short. Thread-safe.
class SnapshotHistory {
 public:
  // Of one session.
  static constexpr size_t kMaxPerOwner = 8;

  // Keeps a snapshot for `owner`, whose oldest goes if there are too many.
  void Add(const void* owner, std::shared_ptr<const StageSnapshot> snapshot);
  // Null when it is not held any more.
  std::shared_ptr<const StageSnapshot> Find(const void* owner, uint64_t number) const;
  // Drops all that is kept for `owner`.
  void Forget(const void* owner);
  // Drops the oldest of all. False when there is none.
  bool DropOldest();
  size_t size() const;

 private:
  using Snapshot = std::shared_ptr<const StageSnapshot>;
  using Snapshots = std::map<std::pair<uint64_t, const void*>, Snapshot>;

  mutable Mutex mu_;
  // By number and owner: two sessions may have begun on one snapshot.
  Snapshots snapshots_ ABSL_GUARDED_BY(mu_);
  // Of each owner, ascending.
  std::unordered_map<const void*, std::deque<uint64_t>> numbers_ ABSL_GUARDED_BY(mu_);
};

}  // namespace stagedoor

#endif  // STAGEDOOR_SERVER_STAGES_SNAPSHOT_HISTORY_H_

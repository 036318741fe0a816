#ifndef STAGEDOOR_SERVER_STAGES_SNAPSHOT_HISTORY_H_
#define STAGEDOOR_SERVER_STAGES_SNAPSHOT_HISTORY_H_

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "base/mutex.h"
#include "server/stages/stage_snapshot.h"

namespace stagedoor::server {

// The snapshots of all sessions that edits have replaced but clients may still have pinned. They
// are kept in one place so that the oldest of all is dropped first when memory is short.
// Thread-safe.
class SnapshotHistory {
 public:
  // The maximum number of snapshots kept per owner.
  static constexpr size_t kMaxPerOwner = 8;

  // Keeps a snapshot for `owner`, a session. Drops the owner's oldest if there are too many.
  void Add(const void* owner, std::shared_ptr<const StageSnapshot> snapshot);
  // The owner's latest snapshot with this fingerprint. Null if it is not kept, or no longer.
  std::shared_ptr<const StageSnapshot> Find(const void* owner, std::string_view fingerprint) const;
  // Drops all snapshots of `owner`.
  void Forget(const void* owner);
  // Drops the oldest snapshot of all owners. False if there is none.
  bool DropOldest();
  size_t size() const;

 private:
  using Snapshot = std::shared_ptr<const StageSnapshot>;
  using Snapshots = std::map<std::pair<uint64_t, const void*>, Snapshot>;

  mutable Mutex mu_;
  // Keyed by number and owner, since two sessions may have started on one snapshot.
  Snapshots snapshots_ ABSL_GUARDED_BY(mu_);
  // The snapshot numbers of each owner, ascending.
  std::unordered_map<const void*, std::deque<uint64_t>> numbers_ ABSL_GUARDED_BY(mu_);
};

}  // namespace stagedoor::server

#endif  // STAGEDOOR_SERVER_STAGES_SNAPSHOT_HISTORY_H_

#ifndef STAGEDOOR_SERVER_STAGES_SNAPSHOT_REAPER_H_
#define STAGEDOOR_SERVER_STAGES_SNAPSHOT_REAPER_H_

#include <functional>
#include <memory>
#include <thread>

#include "absl/status/status.h"
#include "base/request_context.h"
#include "server/stages/stage_snapshot.h"

namespace stagedoor::server {

// Destroys unused snapshots one after another on its own thread. Destroying a large one can take a
// second, which should not delay a call beyond its deadline, whether the call dropped the last
// reference or needs the memory. Thread-safe.
class SnapshotReaper {
 public:
  // `when_idle` is called on the reaper's thread each time its queue has become empty. It may drop
  // further snapshots; the reaper counts as busy until it has returned.
  explicit SnapshotReaper(std::function<void()> when_idle);
  ~SnapshotReaper();
  SnapshotReaper(const SnapshotReaper&) = delete;
  SnapshotReaper& operator=(const SnapshotReaper&) = delete;

  // Shares a snapshot among users. When the last reference is dropped, the snapshot is queued for
  // destruction. Users may outlive the reaper; the last one then destroys the snapshot itself.
  std::shared_ptr<const StageSnapshot> Share(std::unique_ptr<const StageSnapshot> snapshot);

  // Whether snapshots are queued for destruction.
  bool has_queued() const;
  // Whether snapshots are queued or one is being destroyed.
  bool busy() const;

  // Waits until the reaper is not busy. Returns the context's error if that comes first.
  absl::Status Wait(RequestContext& context) const;

  // Destroys the queued snapshots and ends the thread, without calling `when_idle` again.
  void Stop();

 private:
  struct Queue;

  bool stopped() const;
  void Run(const std::function<void()>& when_idle);

  const std::shared_ptr<Queue> queue_;
  std::thread thread_;
};

}  // namespace stagedoor::server

#endif  // STAGEDOOR_SERVER_STAGES_SNAPSHOT_REAPER_H_

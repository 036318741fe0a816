#ifndef STAGEDOOR_SERVER_STAGES_SNAPSHOT_REAPER_H_
#define STAGEDOOR_SERVER_STAGES_SNAPSHOT_REAPER_H_

#include <functional>
#include <memory>
#include <thread>

#include "absl/status/status.h"
#include "base/request_context.h"
#include "server/stages/stage_snapshot.h"

namespace stagedoor {

// Destroys snapshots that nobody uses any more, one after another on a thread of its own: that of a
// large one takes a second, which no call should spend past its deadline, whether it dropped the
// last reference or needs the memory. Thread-safe.
class SnapshotReaper {
 public:
  // `when_idle` is called on that thread each time the last one is gone. The reaper is busy until
  // then, and goes on with what that may have dropped.
  explicit SnapshotReaper(std::function<void()> when_idle);
  ~SnapshotReaper();
  SnapshotReaper(const SnapshotReaper&) = delete;
  SnapshotReaper& operator=(const SnapshotReaper&) = delete;

  // The snapshot in the hands of users, the last of whom gives it back to be destroyed. They may
  // outlive the reaper, and then destroy it themselves.
  std::shared_ptr<const StageSnapshot> Share(std::unique_ptr<const StageSnapshot> snapshot);

  // Whether some are in line to be destroyed.
  bool has_queued() const;
  // The same, or one is being destroyed.
  bool busy() const;

  // Until it is not busy; the context's error if that comes first.
  absl::Status Wait(RequestContext& context) const;

  // Destroys what is left and ends the thread; `when_idle` is not called any more.
  void Stop();

 private:
  struct Queue;

  bool stopped() const;
  void Run(const std::function<void()>& when_idle);

  const std::shared_ptr<Queue> queue_;
  std::thread thread_;
};

}  // namespace stagedoor

#endif  // STAGEDOOR_SERVER_STAGES_SNAPSHOT_REAPER_H_

#ifndef STAGEDOOR_SERVER_STAGES_STAGE_FOLLOWER_H_
#define STAGEDOOR_SERVER_STAGES_STAGE_FOLLOWER_H_

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <thread>
#include <unordered_map>
#include <vector>

#include "base/executor.h"
#include "base/mutex.h"
#include "base/task_group.h"
#include "resolver/change_source.h"
#include "server/stages/clip_follower.h"
#include "server/stages/followed_stage.h"
#include "server/stages/session_follower.h"
#include "server/stages/stage_session.h"

namespace stagedoor::server {

struct FollowOptions {
  using Clock = std::chrono::steady_clock;

  // A stage is reopened once its assets have not changed for `debounce`, and at the latest
  // `max_delay` after the first change, so that a burst of writes reopens it once.
  std::chrono::milliseconds debounce{200};
  std::chrono::milliseconds max_delay{2000};
  // How long to wait after the first failure; doubled after each further one.
  std::chrono::milliseconds first_backoff{500};
  std::chrono::milliseconds max_backoff{60000};
  // The longest wait while a disk or a server gives no answer, which nothing reports the end of.
  std::chrono::milliseconds outage_backoff{4000};
  // How often to look for clips that were opened, and for sessions that have ended.
  std::chrono::milliseconds sweep_interval{1000};
  // How many stages are reopened at the same time.
  size_t max_parallel = 2;
  std::chrono::seconds reopen_timeout{600};
  RequestLimits limits = {};              // of reopening one stage
  std::vector<std::string> search_paths;  // those of the resolver itself
  std::function<Clock::time_point()> now = Clock::now;
  bool start_thread = true;  // if false, only calls of RunDue do anything; for tests
};

// Keeps sessions with ChangePolicy::kFollow up to date: learns of changed assets from a
// ChangeSource, reopens the stages that use them, and publishes the new snapshots in the sessions.
// A request keeps the snapshot that it has, and the next one gets the new one.
//
// Sessions that share a snapshot share its successor (StageCache::Reopen). A stage that cannot be
// reopened, for example because a layer is still being written, keeps its snapshot and is tried
// again. Value clips are followed too (ClipFollower).
//
// Thread-safe. A thread of its own waits for what is due; the work is done on the executor.
class StageFollower final : public SessionFollower {
 public:
  using Clock = FollowOptions::Clock;

  // `cache` and `executor` must outlive the follower.
  StageFollower(StageCache& cache, std::unique_ptr<ChangeSource> source, Executor& executor,
                FollowOptions options);
  // Cancels the work in progress and waits for it.
  ~StageFollower() override;

  void Follow(const std::shared_ptr<StageSession>& session) override;

  // Schedules the work that is due, and returns when more will be; the maximum if there is none.
  Clock::time_point RunDue();

  Stats GetStats() const override;

 private:
  using Snapshot = std::shared_ptr<const StageSnapshot>;
  // The sessions whose newest snapshot is the same.
  struct Group {
    std::vector<std::weak_ptr<StageSession>> sessions;
    std::unique_ptr<FollowedStage> stage;  // null while work is in progress, and before the first
    FollowedStage::Tried tried;            // of the snapshot before
    std::optional<Clock::time_point> due;
    std::optional<Clock::time_point> first_change;  // that is not dealt with
    bool running = false;
    int failures = 0;  // since the last success
  };
  struct Work;
  using Sessions = std::vector<std::shared_ptr<StageSession>>;

  void OnChanges(const AssetChanges& changes);
  void NoteChange(Group& group, Clock::time_point now) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_);
  void Join(const std::shared_ptr<StageSession>& session, uint64_t number)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_);
  // The sessions that still have the snapshot of a group, and the snapshot; null if there are none.
  Snapshot LiveSessions(const Group& group, uint64_t number, Sessions* sessions) const
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_);
  // Takes the groups that are due now; `next` is when others are.
  std::vector<uint64_t> TakeDue(Clock::time_point now, Clock::time_point* next)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_);

  // Brings the sessions of a group up to date. On the executor.
  void Update(uint64_t number);
  // Takes the group's stage. Sets `dropped` if the group is gone, because no session needs it.
  absl::Status TryUpdate(uint64_t number, std::unique_ptr<FollowedStage>& stage, bool& dropped);
  // Watches the assets of a snapshot.
  std::unique_ptr<FollowedStage> Watch(const StageSnapshot& snapshot, FollowedStage::Tried tried);
  absl::Status Publish(const Sessions& sessions, const Snapshot& before, const Snapshot& after,
                       FollowedStage::Tried tried);
  void Finish(uint64_t number, std::unique_ptr<FollowedStage> stage, const absl::Status& status);
  // Forgets a group. False if a session has joined it meanwhile.
  bool Drop(uint64_t number, const FollowedStage* stage);
  // Schedules work; calls `failed` instead if there is no memory for that.
  template <typename Failed>
  void Schedule(std::function<void()> work, const Failed& failed);
  // The work on a group cannot be scheduled.
  void Postpone(uint64_t number);
  // Whether more mapped files than before are known to have changed or to be unreadable.
  bool SourcesChanged() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_);
  void UpdateClips();
  void Run();

  StageCache& cache_;
  const FollowOptions options_;
  std::unique_ptr<ChangeSource> source_;
  ClipFollower clips_;

  mutable Mutex mu_;
  CondVar wake_;
  bool stopping_ ABSL_GUARDED_BY(mu_) = false;
  bool woken_ ABSL_GUARDED_BY(mu_) = false;
  std::map<uint64_t, Group> groups_ ABSL_GUARDED_BY(mu_);  // by snapshot number
  std::unordered_map<std::string, std::set<uint64_t>> groups_of_ ABSL_GUARDED_BY(mu_);  // by path
  std::set<RequestContext*> contexts_ ABSL_GUARDED_BY(mu_);  // of the work in progress
  size_t running_ ABSL_GUARDED_BY(mu_) = 0;                  // groups
  Clock::time_point next_sweep_ ABSL_GUARDED_BY(mu_);
  std::optional<Clock::time_point> clips_due_ ABSL_GUARDED_BY(mu_);
  bool updating_clips_ ABSL_GUARDED_BY(mu_) = false;
  bool following_clips_ ABSL_GUARDED_BY(mu_) = false;  // when last updated
  uint64_t source_changes_ ABSL_GUARDED_BY(mu_) = 0;   // when last looked
  Stats stats_ ABSL_GUARDED_BY(mu_);

  std::optional<TaskGroup> tasks_;
  std::thread thread_;
};

}  // namespace stagedoor::server

#endif  // STAGEDOOR_SERVER_STAGES_STAGE_FOLLOWER_H_

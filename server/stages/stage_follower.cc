#include "server/stages/stage_follower.h"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <utility>

#include "base/out_of_memory.h"
#include "base/status.h"
#include "base/status_macros.h"
#include "resolver/fail_if_outage.h"
#include "scene/clips/clip_environment.h"

namespace stagedoor::server {
namespace {

ClipCache* ClipsOf(const StageCache& cache) {
  ClipEnvironment* const clips = cache.environment().clips;
  return clips == nullptr ? nullptr : &clips->cache();
}

}  // namespace

// The context of a piece of work, which is cancelled when the follower is destroyed.
struct StageFollower::Work {
  explicit Work(StageFollower& owner)
      : follower(owner),
        context(RequestContext::Clock::now() + owner.options_.reopen_timeout,
                owner.options_.limits) {
    MutexLock lock(follower.mu_);
    if (follower.stopping_) context.Cancel();
    follower.contexts_.insert(&context);
  }
  ~Work() {
    MutexLock lock(follower.mu_);
    follower.contexts_.erase(&context);
  }

  StageFollower& follower;
  RequestContext context;
};

StageFollower::StageFollower(StageCache& cache, std::unique_ptr<ChangeSource> source,
                             Executor& executor, FollowOptions options)
    : cache_(cache),
      options_(std::move(options)),
      source_(std::move(source)),
      clips_(ClipsOf(cache), *source_),
      next_sweep_(options_.now() + options_.sweep_interval) {
  tasks_.emplace(executor);
  source_->Start([this](const AssetChanges& changes) { OnChanges(changes); });
  if (options_.start_thread) thread_ = std::thread([this] { Run(); });
}

StageFollower::~StageFollower() {
  {
    MutexLock lock(mu_);
    stopping_ = true;
    for (RequestContext* context : contexts_) context->Cancel();
    wake_.NotifyAll();
  }
  if (thread_.joinable()) thread_.join();
  tasks_.reset();   // they use the source
  source_.reset();  // its callback uses this
}

void StageFollower::Join(const std::shared_ptr<StageSession>& session, uint64_t number) {
  Group& group = groups_[number];
  std::erase_if(group.sessions, [](const auto& weak) { return weak.expired(); });
  const auto same = [&](const auto& weak) {
    return !weak.owner_before(session) && !session.owner_before(weak);
  };
  if (std::any_of(group.sessions.begin(), group.sessions.end(), same)) return;
  group.sessions.push_back(session);
}

void StageFollower::Follow(const std::shared_ptr<StageSession>& session) {
  const uint64_t number = session->Newest()->number();
  MutexLock lock(mu_);
  if (!groups_.contains(number)) groups_[number].due = options_.now();
  Join(session, number);
  woken_ = true;
  wake_.NotifyAll();
}

void StageFollower::NoteChange(Group& group, Clock::time_point now) {
  if (!group.first_change.has_value()) group.first_change = now;
  group.due = std::min(now + options_.debounce, *group.first_change + options_.max_delay);
}

void StageFollower::OnChanges(const AssetChanges& changes) {
  const Clock::time_point now = options_.now();
  const size_t clips = clips_.NoteChanges(changes);
  std::set<uint64_t> numbers;
  MutexLock lock(mu_);
  for (const std::string& path : changes.paths) {
    const auto it = groups_of_.find(path);
    if (it == groups_of_.end()) continue;
    numbers.insert(it->second.begin(), it->second.end());
    ++stats_.changes;
  }
  if (changes.all) {
    ++stats_.changes;
    for (const auto& [number, group] : groups_) numbers.insert(number);
  } else {
    stats_.changes += clips;
  }
  for (const uint64_t number : numbers) {
    const auto group = groups_.find(number);
    if (group != groups_.end()) NoteChange(group->second, now);
  }
  if (clips > 0) clips_due_ = now + options_.debounce;
  woken_ = true;
  wake_.NotifyAll();
}

std::vector<uint64_t> StageFollower::TakeDue(Clock::time_point now, Clock::time_point* next) {
  const bool sweep = now >= next_sweep_;
  std::vector<uint64_t> due;
  for (auto& [number, group] : groups_) {
    if (group.running) continue;
    Sessions sessions;
    if (sweep && LiveSessions(group, number, &sessions) == nullptr) group.due = now;
    if (!group.due.has_value()) continue;
    if (*group.due > now) {
      *next = std::min(*next, *group.due);
    } else if (running_ < options_.max_parallel) {
      due.push_back(number);
      group.due.reset();
      group.first_change.reset();
      group.running = true;
      ++running_;
    }
  }
  return due;
}

template <typename Failed>
void StageFollower::Schedule(std::function<void()> work, const Failed& failed) {
  CatchOutOfMemory(
      [&] {
        tasks_->Schedule(std::move(work));
        return absl::OkStatus();
      },
      [&](const absl::Status&) { failed(); })
      .IgnoreError();
}

bool StageFollower::SourcesChanged() {
  if (cache_.sources() == nullptr) return false;
  const uint64_t changes = cache_.sources()->changes();
  return std::exchange(source_changes_, changes) != changes;
}

StageFollower::Clock::time_point StageFollower::RunDue() {
  const Clock::time_point now = options_.now();
  Clock::time_point next = Clock::time_point::max();
  std::vector<uint64_t> due;
  bool clips = false;
  bool reread = false;
  {
    MutexLock lock(mu_);
    reread = now >= next_sweep_ && SourcesChanged();
  }
  // A disk that fails while a file is in use is not reported by anybody else.
  if (reread) OnChanges({.all = true, .paths = {}});
  {
    MutexLock lock(mu_);
    if (stopping_) return next;
    due = TakeDue(now, &next);
    const bool sweep = now >= next_sweep_;
    if (sweep) next_sweep_ = now + options_.sweep_interval;
    clips = !updating_clips_ && (sweep || (clips_due_.has_value() && *clips_due_ <= now));
    if (clips) {
      updating_clips_ = true;
      clips_due_.reset();
    }
    if (clips_due_.has_value() && !updating_clips_) next = std::min(next, *clips_due_);
    // Once more after the last group is gone, so that its clips are not watched any more.
    if (!groups_.empty() || following_clips_) next = std::min(next, next_sweep_);
  }
  for (const uint64_t number : due) {
    Schedule([this, number] { Update(number); }, [&] { Postpone(number); });
  }
  if (clips) {
    Schedule([this] { UpdateClips(); },
             [&] {
               MutexLock lock(mu_);
               updating_clips_ = false;
             });
  }
  return next;
}

void StageFollower::Run() {
  for (;;) {
    // If memory is short, what is due is tried again a moment later.
    Clock::time_point next = options_.now() + options_.first_backoff;
    CatchOutOfMemory([&] {
      next = RunDue();
      return absl::OkStatus();
    }).IgnoreError();
    MutexLock lock(mu_);
    // Waits may wake spuriously, after which nothing is due.
    if (!woken_ && !stopping_) wake_.WaitUntil(mu_, next);
    woken_ = false;
    if (stopping_) return;
  }
}

StageFollower::Snapshot StageFollower::LiveSessions(const Group& group, uint64_t number,
                                                    Sessions* sessions) const {
  Snapshot snapshot;
  for (const auto& weak : group.sessions) {
    auto session = weak.lock();
    if (session == nullptr) continue;
    Snapshot newest = session->Newest();
    if (newest->number() != number) continue;
    snapshot = std::move(newest);
    sessions->push_back(std::move(session));
  }
  return snapshot;
}

void StageFollower::Update(uint64_t number) {
  std::unique_ptr<FollowedStage> stage;
  bool dropped = false;
  const absl::Status status = CatchOutOfMemory([&] { return TryUpdate(number, stage, dropped); });
  if (!dropped) Finish(number, std::move(stage), status);
}

absl::Status StageFollower::TryUpdate(uint64_t number, std::unique_ptr<FollowedStage>& stage,
                                      bool& dropped) {
  Work work(*this);
  Sessions sessions;
  Snapshot snapshot;
  FollowedStage::Tried tried;
  {
    MutexLock lock(mu_);
    Group& group = groups_[number];
    snapshot = LiveSessions(group, number, &sessions);
    stage = std::move(group.stage);
    tried = std::move(group.tried);
  }
  if (snapshot == nullptr) {
    dropped = Drop(number, stage.get());
    return absl::OkStatus();
  }
  if (stage == nullptr) stage = Watch(*snapshot, std::move(tried));
  SD_ASSIGN_OR_RETURN(FollowedStage::Changes changes,
                      stage->FindChanges(work.context, *cache_.environment().layers,
                                         snapshot->stage().options().resolver_context));
  if (!changes.any()) {
    // The report may be about a change of an asset that cannot be asked at the moment.
    absl::Status unanswered = changes.unanswered;
    stage->KeepTried(std::move(changes));
    return unanswered;
  }
  SD_ASSIGN_OR_RETURN(
      const Snapshot after,
      ReopenChanged(work.context, cache_, sessions.front()->stage_key(), *snapshot, changes));
  if (after->number() == number) return absl::OkStatus();
  return Publish(sessions, snapshot, after, std::move(changes.tried));
}

std::unique_ptr<FollowedStage> StageFollower::Watch(const StageSnapshot& snapshot,
                                                    FollowedStage::Tried tried) {
  auto stage = std::make_unique<FollowedStage>(snapshot, options_.search_paths, std::move(tried));
  {
    // Registered first, so that no report is lost.
    MutexLock lock(mu_);
    for (const WatchedAsset& asset : stage->watched()) {
      groups_of_[asset.path].insert(snapshot.number());
    }
  }
  source_->Watch(stage->watched());
  for (const std::string& problem : source_->TakeProblems()) spdlog::warn("{}", problem);
  return stage;
}

// The assets of the new snapshot are watched before those of the old one are dropped, so that what
// both use is watched all the time.
absl::Status StageFollower::Publish(const Sessions& sessions, const Snapshot& before,
                                    const Snapshot& after, FollowedStage::Tried tried) {
  bool is_new;
  {
    MutexLock lock(mu_);
    is_new = !groups_.contains(after->number());
    Group& group = groups_[after->number()];
    group.running |= is_new;
    running_ += is_new;
  }
  std::unique_ptr<FollowedStage> stage;
  bool published = false;
  const absl::Status status = CatchOutOfMemory([&] {
    if (is_new) stage = Watch(*after, std::move(tried));
    for (const auto& session : sessions) {
      published |= session->Replace(before, after);
      Follow(session);  // a client may have edited it, so that it has yet another snapshot
    }
    return absl::OkStatus();
  });
  MutexLock lock(mu_);
  stats_.reopens += published;
  Group& group = groups_[after->number()];
  if (is_new) {
    group.stage = std::move(stage);
    group.running = false;
    --running_;
  }
  // Looks for changes since the stage was opened. After a while: if the versions never agree, the
  // stage is not reopened without a pause.
  NoteChange(group, options_.now());
  return status;
}

void StageFollower::Finish(uint64_t number, std::unique_ptr<FollowedStage> stage,
                           const absl::Status& status) {
  Sessions sessions;
  int failures = 0;
  std::chrono::milliseconds wait{0};
  {
    const Clock::time_point now = options_.now();
    MutexLock lock(mu_);
    Group& group = groups_[number];
    group.running = false;
    --running_;
    if (stage != nullptr) group.stage = std::move(stage);
    woken_ = true;
    wake_.NotifyAll();
    if (LiveSessions(group, number, &sessions) == nullptr) {
      group.due = now;  // to be dropped
      return;
    }
    if (status.ok()) {
      group.failures = 0;
      return;
    }
    if (stopping_) return;
    ++stats_.failures;
    failures = ++group.failures;
    const auto longest = IsWithoutAnswer(status) ? options_.outage_backoff : options_.max_backoff;
    wait = std::min(options_.first_backoff * (1 << std::min(failures - 1, 20)), longest);
    // A change that was reported meanwhile is dealt with sooner.
    if (!group.due.has_value()) group.due = now + wait;
  }
  if ((failures & (failures - 1)) != 0) return;  // not each time
  spdlog::warn(
      "cannot follow the changes of stage {}: {}; it keeps its snapshot, and is tried again in {} "
      "ms (failure {} in a row)",
      Quoted(sessions.front()->stage_key().options.root), std::string(status.message()),
      wait.count(), failures);
}

bool StageFollower::Drop(uint64_t number, const FollowedStage* stage) {
  std::vector<std::string> paths;
  if (stage != nullptr) {
    for (const WatchedAsset& asset : stage->watched()) paths.push_back(asset.path);
  }
  Sessions sessions;
  {
    MutexLock lock(mu_);
    const auto it = groups_.find(number);
    if (LiveSessions(it->second, number, &sessions) != nullptr) return false;
    groups_.erase(it);
    --running_;
    for (const std::string& path : paths) {
      const auto numbers = groups_of_.find(path);
      if (numbers == groups_of_.end()) continue;
      numbers->second.erase(number);
      if (numbers->second.empty()) groups_of_.erase(numbers);
    }
    woken_ = true;
    wake_.NotifyAll();
  }
  source_->Unwatch(paths);
  return true;
}

void StageFollower::Postpone(uint64_t number) {
  MutexLock lock(mu_);
  Group& group = groups_.at(number);
  group.running = false;
  --running_;
  group.due = options_.now() + options_.first_backoff;
}

void StageFollower::UpdateClips() {
  Work work(*this);
  bool follow;
  {
    MutexLock lock(mu_);
    follow = following_clips_ = !groups_.empty();
  }
  // If memory is short, changed clips are dropped after the next change.
  CatchOutOfMemory([&] {
    clips_.Update(work.context, follow);
    return absl::OkStatus();
  }).IgnoreError();
  MutexLock lock(mu_);
  updating_clips_ = false;
  woken_ = true;
  wake_.NotifyAll();
}

StageFollower::Stats StageFollower::GetStats() const {
  const ChangeSource::Stats source = source_->GetStats();
  MutexLock lock(mu_);
  Stats stats = stats_;
  stats.stages = groups_.size();
  stats.watched_assets = source.watched;
  stats.polled_assets = source.polled;
  return stats;
}

}  // namespace stagedoor::server

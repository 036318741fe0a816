#include "server/stages/snapshot_reaper.h"

#include <semaphore>
#include <utility>

#include "base/cancellable_wait.h"
#include "base/mutex.h"
#include "base/status_macros.h"
#include "base/time_slice.h"

namespace stagedoor::server {

// An intrusive list of snapshots, since queueing one must not allocate.
struct SnapshotReaper::Queue {
  Mutex mu;
  CondVar changed;  // signaled when no longer destroying
  const StageSnapshot* first ABSL_GUARDED_BY(mu) = nullptr;
  bool destroying ABSL_GUARDED_BY(mu) = false;
  bool stopped ABSL_GUARDED_BY(mu) = false;
  // The thread runs at a low priority, so a semaphore wakes it, as for the workers of LaneExecutor:
  // queueing a snapshot must not wait until the thread has released the lock.
  bool asleep ABSL_GUARDED_BY(mu) = false;
  std::binary_semaphore wake{0};

  bool busy() const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu) { return first != nullptr || destroying; }

  void Sleep() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu) {
    asleep = true;
    mu.Unlock();
    wake.acquire();
    mu.Lock();
  }
  void Wake() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu) {
    if (std::exchange(asleep, false)) wake.release();
  }

  void Take(const StageSnapshot* snapshot) {
    {
      MutexLock lock(mu);
      if (!stopped) {
        snapshot->next_to_destroy_ = std::exchange(first, snapshot);
        Wake();
        return;
      }
    }
    delete snapshot;
  }
};

SnapshotReaper::SnapshotReaper(std::function<void()> when_idle)
    : queue_(std::make_shared<Queue>()),
      thread_([this, when_idle = std::move(when_idle)] { Run(when_idle); }) {}

SnapshotReaper::~SnapshotReaper() { Stop(); }

std::shared_ptr<const StageSnapshot> SnapshotReaper::Share(
    std::unique_ptr<const StageSnapshot> snapshot) {
  return {snapshot.release(), [queue = queue_](const StageSnapshot* last) { queue->Take(last); }};
}

bool SnapshotReaper::has_queued() const {
  MutexLock lock(queue_->mu);
  return queue_->first != nullptr;
}

bool SnapshotReaper::busy() const {
  MutexLock lock(queue_->mu);
  return queue_->busy();
}

absl::Status SnapshotReaper::Wait(RequestContext& context) const {
  MutexLock lock(queue_->mu);
  while (queue_->busy()) {
    SD_RETURN_IF_ERROR(CancellableWait(context, queue_->mu, queue_->changed));
  }
  return absl::OkStatus();
}

bool SnapshotReaper::stopped() const {
  MutexLock lock(queue_->mu);
  return queue_->stopped;
}

void SnapshotReaper::Stop() {
  {
    MutexLock lock(queue_->mu);
    queue_->stopped = true;
    queue_->Wake();
  }
  if (thread_.joinable()) thread_.join();
}

void SnapshotReaper::Run(const std::function<void()>& when_idle) {
  SetBackgroundPriority(Background::kFew);
  Queue& queue = *queue_;
  for (;;) {
    const StageSnapshot* snapshot = nullptr;
    {
      MutexLock lock(queue.mu);
      queue.destroying = false;
      queue.changed.NotifyAll();
      while (queue.first == nullptr && !queue.stopped) queue.Sleep();
      if (queue.first == nullptr) return;
      snapshot = std::exchange(queue.first, queue.first->next_to_destroy_);
      queue.destroying = true;
    }
    delete snapshot;
    if (!has_queued() && !stopped()) when_idle();
  }
}

}  // namespace stagedoor::server

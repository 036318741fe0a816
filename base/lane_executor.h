#ifndef STAGEDOOR_BASE_LANE_EXECUTOR_H_
#define STAGEDOOR_BASE_LANE_EXECUTOR_H_

#include <atomic>
#include <chrono>
#include <cstddef>
#include <deque>
#include <functional>
#include <list>
#include <memory>
#include <optional>
#include <semaphore>
#include <thread>

#include "base/executor.h"
#include "base/mutex.h"

namespace stagedoor {

// What is over within milliseconds, and what is not.
enum class Lane { kShort, kLong };

// An executor on which short work does not wait for long work. Each lane has its own queue, first
// in first out, and its own threads; those of the long lane run at a lower priority of the system,
// so that they take what the short lane leaves, and those of the short lane ask for a short time
// slice (base/time_slice.h), so that they have their turn soon after they were woken.
//
// Work in the short lane that takes longer than a slice overruns: its thread goes on at the low
// priority and another takes its place in the short lane. A thread that has overrun ends after that
// piece of work, for without privileges a priority can't be raised again. Only so many may overrun
// at a time; more keep their place, and the short lane then waits for them. What overrunning work
// has scheduled or schedules, and what that schedules, goes on in the long lane too: many pieces of
// one request are not many short requests.
//
// Thread-safe. Work must not throw; a failed allocation that gets out of it is dropped with it.
// Queues are unbounded: whoever admits requests bounds them. Destruction runs what was scheduled
// before it, then joins; it must not happen on one of the executor's threads.
class LaneExecutor final : public Executor {
 public:
  using Clock = std::chrono::steady_clock;

  struct Options {
    int threads = 0;  // of each lane; below 1: one per hardware thread
    std::chrono::milliseconds slice{5};
    size_t max_overrunning = 32;
    std::function<Clock::time_point()> now = Clock::now;
    bool watch = true;  // false: only calls of Watch find what overruns; for tests
  };

  explicit LaneExecutor(Options options);
  ~LaneExecutor() override;

  void Schedule(Lane lane, std::function<void()> fn);

  // In the lane of the work that calls it, and as a part of that; elsewhere in the short one. So
  // what a ParallelFor spreads stays in the lane of its caller.
  void Schedule(std::function<void()> fn) override;

  // The threads of one lane.
  int concurrency() const override { return options_.threads; }

  // The lane of the calling thread's work.
  Lane CurrentLane() const;

  // Looks for work that overruns, and joins threads that have ended.
  void Watch();

  // For statistics.
  size_t queue_length(Lane lane) const;
  size_t overrunning() const;

 private:
  struct Worker;
  // What was scheduled from outside, with all that this schedules. Its lane changes once.
  using Job = std::atomic<Lane>;
  struct Work {
    std::shared_ptr<Job> job;
    std::function<void()> fn;
  };
  struct Queue {
    std::deque<Work> work;
    Worker* idle = nullptr;  // the first of those that sleep, linked through themselves
  };

  void Schedule(Lane lane, Work work);
  // The worker that is to be woken for it, once the lock is released; null if none sleeps.
  Worker* Enqueue(Lane lane, Work work) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_);
  Work TakeWork(Worker& worker) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_);
  void Sleep(Worker& worker, Queue& queue) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_);
  static Worker* TakeIdle(Queue& queue);
  static void Wake(Worker* worker);
  void StartWorker(Lane lane) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_);
  void Run(Worker& worker);
  std::function<void()> NextWork(Worker& worker);
  void Demote(Worker& worker) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_);
  bool AnyShortWorkRuns() const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_);
  void RunWatcher();
  Queue& QueueOf(Lane lane) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_) {
    return lane == Lane::kShort ? short_ : long_;
  }

  static thread_local const Worker* current_;

  const Options options_;
  mutable Mutex mu_;
  Queue short_ ABSL_GUARDED_BY(mu_);
  Queue long_ ABSL_GUARDED_BY(mu_);
  std::list<Worker> workers_ ABSL_GUARDED_BY(mu_);
  size_t overrunning_ ABSL_GUARDED_BY(mu_) = 0;
  bool stopping_ ABSL_GUARDED_BY(mu_) = false;
  bool watcher_sleeps_ ABSL_GUARDED_BY(mu_) = false;
  std::binary_semaphore wake_watcher_{0};
  std::thread watcher_;
};

}  // namespace stagedoor

#endif  // STAGEDOOR_BASE_LANE_EXECUTOR_H_

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

// kShort is for work that ends within milliseconds, kLong for everything else.
enum class Lane { kShort, kLong };

// An executor on which short work does not wait for long work. Comparable to
// folly::CPUThreadPoolExecutor with two priorities, but with separate threads for each of them.
//
// Each lane has its own FIFO queue and its own threads. Threads of the long lane run at a lower OS
// priority, so that they use the time that the short lane leaves. Threads of the short lane ask for
// a short time slice (base/time_slice.h), so that they get their turn soon after they are woken.
//
// Work in the short lane that takes longer than a slice overruns: its thread continues at a low
// priority, and a new thread takes its place in the short lane. The priority is that of the long
// lane while no more threads than those of one lane run long work; threads beyond get the lowest,
// so that all of them together still weigh little. A thread that has overrun ends
// after that piece of work, because raising a priority again would need privileges. Only
// `max_overrunning` threads may overrun at a time; further long work keeps its place, and the short
// lane then waits for it. Whatever overrunning work schedules, before or after it overran, also
// runs in the long lane: many pieces of one request are not many short requests.
//
// Thread-safe. Work must not throw; a failed allocation that escapes from it is dropped together
// with the work. Queues are unbounded: the code that admits requests must bound them. The
// destructor runs what was scheduled before it, then joins the threads; it must not run on one of
// them.
class LaneExecutor final : public Executor {
 public:
  using Clock = std::chrono::steady_clock;

  struct Options {
    int threads = 0;  // of each lane; below 1 means one per hardware thread
    std::chrono::milliseconds slice{5};
    size_t max_overrunning = 32;
    std::function<Clock::time_point()> now = Clock::now;
    bool watch = true;  // if false, only calls of Watch find overrunning work; for tests
  };

  explicit LaneExecutor(Options options);
  ~LaneExecutor() override;

  void Schedule(Lane lane, std::function<void()> fn);

  // Schedules `fn` in the lane of the calling work, as a part of it; on other threads, in the short
  // lane. So the pieces of a ParallelFor stay in the lane of its caller.
  void Schedule(std::function<void()> fn) override;

  // The number of threads of one lane.
  int concurrency() const override { return options_.threads; }

  // The number of threads that may continue overrunning work beside the short lane.
  size_t max_overrunning() const { return options_.max_overrunning; }

  // The lane of the work that the calling thread runs; kShort on threads of others.
  Lane CurrentLane() const;

  // Demotes work that overruns, and joins threads that have ended. Called regularly if `watch` is
  // set.
  void Watch();

  // For statistics.
  size_t queue_length(Lane lane) const;
  size_t overrunning() const;

 private:
  struct Worker;
  // A function scheduled from outside, together with everything that it schedules in turn. The
  // value is their lane, which changes at most once.
  using Job = std::atomic<Lane>;
  struct Work {
    std::shared_ptr<Job> job;
    std::function<void()> fn;
  };
  struct Queue {
    std::deque<Work> work;
    Worker* idle = nullptr;  // head of the list of sleeping workers
  };

  void Schedule(Lane lane, Work work);
  // Returns the worker to wake once the lock is released, or null if none sleeps.
  Worker* Enqueue(Lane lane, Work work) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_);
  Work TakeWork(Worker& worker) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_);
  void Sleep(Worker& worker, Queue& queue) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_);
  static Worker* TakeIdle(Queue& queue);
  static void Wake(Worker* worker);
  void StartWorker(Lane lane) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_);
  void Run(Worker& worker);
  std::function<void()> NextWork(Worker& worker);
  void Demote(Worker& worker) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_);
  // The number of threads that run long work, overrunning ones among them.
  int CountLongWork() const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_);
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

#include "base/lane_executor.h"

#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <new>
#include <system_error>
#include <utility>

#include "base/time_slice.h"

namespace stagedoor {
namespace {

// The number of idle rounds after which the watcher sleeps until it is woken.
constexpr int kIdleRounds = 20;

pid_t CurrentThread() { return static_cast<pid_t>(::syscall(SYS_gettid)); }

LaneExecutor::Options Complete(LaneExecutor::Options options) {
  if (options.threads < 1) {
    options.threads = std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
  }
  return options;
}

}  // namespace

struct LaneExecutor::Worker {
  Worker(const LaneExecutor& executor, Lane first) : owner(&executor), lane(first) {}

  const LaneExecutor* const owner;
  std::atomic<Lane> lane;  // changes at most once, when its work overruns
  // Guarded by the executor's lock:
  pid_t id = 0;
  std::optional<Clock::time_point> since;  // when the current work began
  std::shared_ptr<Job> job;  // of the current work; the worker itself reads it without the lock
  bool overran = false;
  bool ended = false;
  Worker* next_idle = nullptr;
  // Not a condition variable: with that of glibc, a notifier may have to wait until threads that
  // were notified earlier have run, which threads of the long lane may not do for milliseconds.
  std::binary_semaphore wake{0};
  std::thread thread;
};

thread_local const LaneExecutor::Worker* LaneExecutor::current_ = nullptr;

LaneExecutor::LaneExecutor(Options options) : options_(Complete(std::move(options))) {
  MutexLock lock(mu_);
  for (int i = 0; i < options_.threads; ++i) {
    StartWorker(Lane::kShort);
    StartWorker(Lane::kLong);
  }
  if (options_.watch) watcher_ = std::thread([this] { RunWatcher(); });
}

LaneExecutor::~LaneExecutor() {
  {
    MutexLock lock(mu_);
    stopping_ = true;
    for (Queue* queue : {&short_, &long_}) {
      while (Worker* worker = TakeIdle(*queue)) Wake(worker);
    }
    if (std::exchange(watcher_sleeps_, false)) wake_watcher_.release();
  }
  if (watcher_.joinable()) watcher_.join();
  // No thread starts or removes workers any more, so the list needs no lock.
  for (Worker& worker : workers_) worker.thread.join();
}

void LaneExecutor::StartWorker(Lane lane) {
  workers_.emplace_back(*this, lane);
  Worker& worker = workers_.back();
  try {
    worker.thread = std::thread([this, &worker] { Run(worker); });
  } catch (...) {
    workers_.pop_back();
    throw;
  }
}

void LaneExecutor::Schedule(Lane lane, std::function<void()> fn) {
  Schedule(lane, Work{std::make_shared<Job>(lane), std::move(fn)});
}

void LaneExecutor::Schedule(std::function<void()> fn) {
  const bool ours = current_ != nullptr && current_->owner == this;
  if (!ours) return Schedule(Lane::kShort, std::move(fn));
  Schedule(CurrentLane(), Work{current_->job, std::move(fn)});
}

void LaneExecutor::Schedule(Lane lane, Work work) {
  Worker* sleeper;
  {
    MutexLock lock(mu_);
    sleeper = Enqueue(lane, std::move(work));
  }
  Wake(sleeper);
}

LaneExecutor::Worker* LaneExecutor::Enqueue(Lane lane, Work work) {
  Queue& queue = QueueOf(lane);
  queue.work.push_back(std::move(work));
  return TakeIdle(queue);
}

LaneExecutor::Worker* LaneExecutor::TakeIdle(Queue& queue) {
  Worker* const first = queue.idle;
  if (first != nullptr) queue.idle = first->next_idle;
  return first;
}

void LaneExecutor::Wake(Worker* worker) {
  if (worker != nullptr) worker->wake.release();
}

void LaneExecutor::Sleep(Worker& worker, Queue& queue) {
  worker.next_idle = std::exchange(queue.idle, &worker);
  mu_.Unlock();
  worker.wake.acquire();
  mu_.Lock();
}

Lane LaneExecutor::CurrentLane() const {
  const bool ours = current_ != nullptr && current_->owner == this;
  return ours ? current_->job->load(std::memory_order_relaxed) : Lane::kShort;
}

void LaneExecutor::Run(Worker& worker) {
  current_ = &worker;
  if (worker.lane == Lane::kLong) {
    SetBackgroundPriority(Background::kFew);
  } else {
    SetTimeSlice(kPromptTimeSlice);
  }
  {
    MutexLock lock(mu_);
    worker.id = CurrentThread();
  }
  while (const std::function<void()> fn = NextWork(worker)) {
    try {
      fn();
    } catch (const std::bad_alloc&) {
      // Calls catch their own failures. Other work, which no caller waits for, is dropped.
    }
  }
}

std::function<void()> LaneExecutor::NextWork(Worker& worker) {
  MutexLock lock(mu_);
  worker.since.reset();
  if (worker.overran) {
    --overrunning_;
    worker.ended = true;
    return nullptr;
  }
  Work work = TakeWork(worker);
  if (!work.fn) return nullptr;
  worker.since = options_.now();
  worker.job = std::move(work.job);
  if (watcher_sleeps_ && worker.lane == Lane::kShort) {
    watcher_sleeps_ = false;
    wake_watcher_.release();
  }
  return std::move(work.fn);
}

LaneExecutor::Work LaneExecutor::TakeWork(Worker& worker) {
  Queue& queue = QueueOf(worker.lane);
  for (;;) {
    while (queue.work.empty() && !stopping_) Sleep(worker, queue);
    if (queue.work.empty()) return {};
    Work work = std::move(queue.work.front());
    queue.work.pop_front();
    const bool has_overrun = worker.lane == Lane::kShort && *work.job == Lane::kLong;
    if (!has_overrun || stopping_) return work;
    Wake(Enqueue(Lane::kLong, std::move(work)));
  }
}

void LaneExecutor::Demote(Worker& worker) {
  try {
    StartWorker(Lane::kShort);
  } catch (const std::exception&) {
    return;  // no thread can be started, so the work keeps its place
  }
  worker.overran = true;
  worker.lane = Lane::kLong;
  *worker.job = Lane::kLong;
  ++overrunning_;
  const bool few = CountLongWork() <= options_.threads;
  SetBackgroundPriority(few ? Background::kFew : Background::kMany, worker.id);
}

void LaneExecutor::Watch() {
  std::list<Worker> ended;
  {
    MutexLock lock(mu_);
    const Clock::time_point begun_before = options_.now() - options_.slice;
    for (auto it = workers_.begin(); it != workers_.end();) {
      const auto worker = it++;
      if (worker->ended) {
        ended.splice(ended.end(), workers_, worker);
      } else if (worker->lane == Lane::kShort && worker->since && *worker->since < begun_before &&
                 overrunning_ < options_.max_overrunning && !stopping_) {
        Demote(*worker);
      }
    }
  }
  for (Worker& worker : ended) worker.thread.join();
}

int LaneExecutor::CountLongWork() const {
  return static_cast<int>(std::count_if(workers_.begin(), workers_.end(), [](const Worker& worker) {
    return worker.since && worker.lane == Lane::kLong;
  }));
}

bool LaneExecutor::AnyShortWorkRuns() const {
  return std::any_of(workers_.begin(), workers_.end(), [](const Worker& worker) {
    return worker.overran || (worker.since && worker.lane == Lane::kShort);
  });
}

void LaneExecutor::RunWatcher() {
  for (int idle = 0;;) {
    bool sleeps;
    {
      MutexLock lock(mu_);
      if (stopping_) return;
      idle = AnyShortWorkRuns() ? 0 : idle + 1;
      sleeps = watcher_sleeps_ = idle > kIdleRounds;
    }
    if (sleeps) {
      wake_watcher_.acquire();
    } else {
      std::this_thread::sleep_for(options_.slice / 2);
    }
    Watch();
  }
}

size_t LaneExecutor::queue_length(Lane lane) const {
  MutexLock lock(mu_);
  return (lane == Lane::kShort ? short_ : long_).work.size();
}

size_t LaneExecutor::overrunning() const {
  MutexLock lock(mu_);
  return overrunning_;
}

}  // namespace stagedoor

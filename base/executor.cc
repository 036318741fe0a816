#include "base/executor.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <exception>
#include <memory>
#include <new>
#include <thread>

#include "base/mutex.h"
#include "base/request_scope.h"

namespace stagedoor {
namespace {

// How many helpers for the loops of one thread may wait in an executor's queue, for each thread of
// the executor. Otherwise, while all of those threads are busy, the caller would leave a helper
// there for each of its loops.
constexpr size_t kMostQueued = 4;

// How long a thread polls for the end of its loop before it sleeps.
constexpr std::chrono::microseconds kWatched{100};

// One ParallelFor in progress. Shared with the scheduled helpers, which may start after the call
// has returned; they then find no piece left and never touch `fn`.
class Loop {
 public:
  Loop(size_t n, size_t grain, const std::function<void(size_t, size_t)>& fn)
      : n_(n), grain_(grain), pieces_((n - 1) / grain + 1), fn_(&fn) {}

  size_t pieces() const { return pieces_; }

  void Work() {
    for (;;) {
      const size_t piece = next_.fetch_add(1, std::memory_order_relaxed);
      if (piece >= pieces_) return;
      const size_t begin = piece * grain_;
      if (!failed_.load(std::memory_order_relaxed)) Run(begin);
      if (done_.fetch_add(1, std::memory_order_acq_rel) + 1 == pieces_) {
        MutexLock lock(mu_);
        finished_.NotifyAll();
      }
    }
  }

  void Wait() {
    // The other threads are working on their last pieces, and mostly finish them before this thread
    // could sleep and be woken.
    const auto until = std::chrono::steady_clock::now() + kWatched;
    while (done_.load(std::memory_order_acquire) != pieces_) {
      if (std::chrono::steady_clock::now() >= until) break;
      std::this_thread::yield();
    }
    MutexLock lock(mu_);
    while (done_.load(std::memory_order_acquire) != pieces_) finished_.Wait(mu_);
    if (failure_ != nullptr) std::rethrow_exception(failure_);
  }

 private:
  void Run(size_t begin) {
    try {
      const RequestScope::Guard guard(scope_);
      (*fn_)(begin, begin + std::min(grain_, n_ - begin));
    } catch (...) {
      MutexLock lock(mu_);
      if (failure_ == nullptr) failure_ = std::current_exception();
      failed_.store(true, std::memory_order_relaxed);
    }
  }

  const size_t n_;
  const size_t grain_;
  const size_t pieces_;
  const std::function<void(size_t, size_t)>* const fn_;
  const RequestScope scope_ = RequestScope::Current().ForHelpers();
  std::atomic<size_t> next_{0};
  std::atomic<size_t> done_{0};
  std::atomic<bool> failed_{false};
  Mutex mu_;
  CondVar finished_;
  std::exception_ptr failure_ ABSL_GUARDED_BY(mu_);
};

}  // namespace

void ParallelFor(Executor& executor, size_t n, size_t grain,
                 const std::function<void(size_t, size_t)>& fn) {
  if (n == 0) return;
  const auto loop = std::make_shared<Loop>(n, std::max<size_t>(grain, 1), fn);
  const size_t threads = static_cast<size_t>(std::max(executor.concurrency(), 1));
  const size_t helpers = std::min(loop->pieces(), threads) - 1;
  // Counts the helpers of this thread's earlier loops that no thread has started yet: more of them
  // would not speed up this loop.
  thread_local const auto queued = std::make_shared<std::atomic<size_t>>(0);
  try {
    for (size_t i = 0; i < helpers && *queued < kMostQueued * threads; ++i) {
      executor.Schedule([loop, waiting = queued] {
        waiting->fetch_sub(1, std::memory_order_relaxed);
        loop->Work();
      });
      queued->fetch_add(1, std::memory_order_relaxed);
    }
  } catch (const std::bad_alloc&) {
    // Fewer helpers only make the loop take longer.
  }
  loop->Work();
  loop->Wait();
}

}  // namespace stagedoor

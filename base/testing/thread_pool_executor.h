#ifndef STAGEDOOR_BASE_TESTING_THREAD_POOL_EXECUTOR_H_
#define STAGEDOOR_BASE_TESTING_THREAD_POOL_EXECUTOR_H_

#include <deque>
#include <functional>
#include <thread>
#include <vector>

#include "base/executor.h"
#include "base/mutex.h"

namespace stagedoor {

// A fixed number of threads that share one FIFO queue, for tests and benchmarks; the daemon has a
// LaneExecutor. Corresponds to folly::CPUThreadPoolExecutor. Thread-safe.
//
// The queue is unbounded: the code that admits requests must bound them. The destructor runs what
// was scheduled before it, then joins the threads; it must not run on one of them.
class ThreadPoolExecutor final : public Executor {
 public:
  // `threads` below 1 means one per hardware thread.
  explicit ThreadPoolExecutor(int threads = 0);
  ~ThreadPoolExecutor() override;

  void Schedule(std::function<void()> fn) override;
  int concurrency() const override { return static_cast<int>(threads_.size()); }

 private:
  void RunThread();

  Mutex mu_;
  CondVar wake_;
  std::deque<std::function<void()>> queue_ ABSL_GUARDED_BY(mu_);
  bool stopping_ ABSL_GUARDED_BY(mu_) = false;

  std::vector<std::thread> threads_;  // constant between constructor and destructor
};

}  // namespace stagedoor

#endif  // STAGEDOOR_BASE_TESTING_THREAD_POOL_EXECUTOR_H_

#include "base/testing/thread_pool_executor.h"

#include <algorithm>
#include <utility>

namespace stagedoor {

ThreadPoolExecutor::ThreadPoolExecutor(int threads) {
  if (threads < 1) threads = std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
  // The threads do not read threads_, so filling it while the first ones run is not a race.
  threads_.reserve(static_cast<size_t>(threads));
  for (int i = 0; i < threads; ++i) threads_.emplace_back([this] { RunThread(); });
}

ThreadPoolExecutor::~ThreadPoolExecutor() {
  {
    MutexLock lock(mu_);
    stopping_ = true;
  }
  wake_.NotifyAll();
  for (std::thread& thread : threads_) thread.join();
}

void ThreadPoolExecutor::Schedule(std::function<void()> fn) {
  {
    MutexLock lock(mu_);
    queue_.push_back(std::move(fn));
  }
  wake_.NotifyOne();
}

void ThreadPoolExecutor::RunThread() {
  for (;;) {
    std::function<void()> fn;
    {
      MutexLock lock(mu_);
      while (queue_.empty() && !stopping_) wake_.Wait(mu_);
      if (queue_.empty()) return;
      fn = std::move(queue_.front());
      queue_.pop_front();
    }
    fn();
  }
}

}  // namespace stagedoor

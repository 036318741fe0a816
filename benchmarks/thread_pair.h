// ThreadPair: the calling thread and another one that stays.
#ifndef STAGEDOOR_BENCHMARKS_THREAD_PAIR_H_
#define STAGEDOOR_BENCHMARKS_THREAD_PAIR_H_

#include <atomic>
#include <functional>
#include <semaphore>
#include <thread>

namespace stagedoor::bench {

// Two threads that do halves of some work at the same time. The second one is started once: one
// that is new each time would be measured with a heap that is not there yet. It is started by the
// first Run, for allocation is faster in a process that never had two. To be used by one thread.
class ThreadPair {
 public:
  ThreadPair() = default;
  ~ThreadPair();
  ThreadPair(const ThreadPair&) = delete;
  ThreadPair& operator=(const ThreadPair&) = delete;

  // Runs work(0) here and work(1) on the other thread; neither begins before both are awake.
  // Returns when both have ended. `work` must not throw.
  void Run(const std::function<void(int half)>& work);

 private:
  void Serve();
  void BeginTogether(int half);

  std::binary_semaphore begin_{0}, ended_{0};
  const std::function<void(int half)>* work_ = nullptr;  // handed over by begin_; null at the end
  std::atomic<int> asleep_{0};
  std::thread other_;
};

}  // namespace stagedoor::bench

#endif  // STAGEDOOR_BENCHMARKS_THREAD_PAIR_H_

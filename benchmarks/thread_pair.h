#ifndef STAGEDOOR_BENCHMARKS_THREAD_PAIR_H_
#define STAGEDOOR_BENCHMARKS_THREAD_PAIR_H_

#include <atomic>
#include <functional>
#include <semaphore>
#include <thread>

namespace stagedoor::bench {

// ThreadPair is the calling thread and a second, persistent one.

// Two threads that do halves of some work at the same time. The second thread persists, because a
// new one would be measured with an empty heap each time. The first Run starts it, because
// allocation is faster in a process that never had two threads. Not thread-safe.
class ThreadPair {
 public:
  ThreadPair() = default;
  ~ThreadPair();
  ThreadPair(const ThreadPair&) = delete;
  ThreadPair& operator=(const ThreadPair&) = delete;

  // Runs work(0) here and work(1) on the other thread. Neither starts before both are awake.
  // Returns when both have ended. `work` must not throw.
  void Run(const std::function<void(int half)>& work);

 private:
  void Serve();
  void BeginTogether(int half);

  std::binary_semaphore begin_{0}, ended_{0};
  const std::function<void(int half)>* work_ =
      nullptr;  // synchronized by begin_; null to end the thread
  std::atomic<int> asleep_{0};
  std::thread other_;
};

}  // namespace stagedoor::bench

#endif  // STAGEDOOR_BENCHMARKS_THREAD_PAIR_H_

#ifndef STAGEDOOR_BASE_EXECUTOR_H_
#define STAGEDOOR_BASE_EXECUTOR_H_

#include <cstddef>
#include <functional>

namespace stagedoor {

// Runs functions on threads. The engine is given one and starts no threads of its own. Corresponds
// to folly::Executor. Implementations are thread-safe and must outlive everything scheduled on
// them.
class Executor {
 public:
  virtual ~Executor() = default;

  // Runs `fn` once, now or later, on any thread, which may be the caller's. Never waits for a free
  // thread.
  virtual void Schedule(std::function<void()> fn) = 0;

  // The number of functions that can run at the same time; at least 1.
  virtual int concurrency() const = 0;
};

// Runs each function immediately on the calling thread. For tests and single-threaded tools.
// Corresponds to folly::InlineExecutor.
class InlineExecutor final : public Executor {
 public:
  void Schedule(std::function<void()> fn) override { fn(); }
  int concurrency() const override { return 1; }
};

// Calls fn(begin, end) for consecutive pieces of [0, n), each at most `grain` long (0 counts as 1),
// on `executor` and on the calling thread, and returns when all calls are done. Corresponds to
// OpenUSD's WorkParallelForN.
//
// May be called from `executor`'s own threads, and may be nested: the caller processes pieces
// itself and waits only for pieces that a thread is already processing, so it makes progress even
// if no other thread is free. Pieces run in any order. If `fn` throws, no new pieces are started,
// and the first exception is rethrown to the caller.
void ParallelFor(Executor& executor, size_t n, size_t grain,
                 const std::function<void(size_t begin, size_t end)>& fn);

}  // namespace stagedoor

#endif  // STAGEDOOR_BASE_EXECUTOR_H_

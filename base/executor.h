#ifndef STAGEDOOR_BASE_EXECUTOR_H_
#define STAGEDOOR_BASE_EXECUTOR_H_

#include <cstddef>
#include <functional>

#include "absl/status/status.h"

namespace stagedoor {

// Where work runs. The engine is handed one and starts no threads of its own.
// Implementations are thread-safe and outlive everything scheduled on them.
class Executor {
 public:
  virtual ~Executor() = default;

  // Runs `fn` once, now or later, on any thread. Never waits for it.
  virtual void Schedule(std::function<void()> fn) = 0;

  // How many functions may run at the same time; at least 1.
  virtual int concurrency() const = 0;
};

// Runs everything at once on the calling thread. For tests and single-threaded tools.
class InlineExecutor final : public Executor {
 public:
  void Schedule(std::function<void()> fn) override { fn(); }
  int concurrency() const override { return 1; }
};

// Calls fn(begin, end) for consecutive pieces of [0, n), each at most `grain` long (0 counts as 1),
// on `executor` and on the calling thread, and returns when all are done.
//
// May be called from `executor`'s own threads, nested at will: the caller takes part and only
// waits for pieces that some thread is already working on, so it makes progress even if no other
// thread is free. Pieces run in any order and must not throw.
void ParallelFor(Executor& executor, size_t n, size_t grain,
                 const std::function<void(size_t begin, size_t end)>& fn);

// The same for functions that may fail; a failed allocation is RESOURCE_EXHAUSTED. After a failure
// no new pieces are begun; returns the failure of the piece that comes first in [0, n) among those
// that ran.
absl::Status ParallelForStatus(Executor& executor, size_t n, size_t grain,
                               const std::function<absl::Status(size_t begin, size_t end)>& fn);

}  // namespace stagedoor

#endif  // STAGEDOOR_BASE_EXECUTOR_H_

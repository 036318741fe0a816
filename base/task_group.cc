#include "base/task_group.h"

#include <cstddef>
#include <utility>

#include "base/mutex.h"

namespace stagedoor {

struct TaskGroup::State {
  Mutex mu;
  CondVar ended;
  size_t pending ABSL_GUARDED_BY(mu) = 0;
};

// Counts as pending as long as it exists.
class TaskGroup::Pending {
 public:
  explicit Pending(std::shared_ptr<State> state) : state_(std::move(state)) {
    MutexLock lock(state_->mu);
    ++state_->pending;
  }
  ~Pending() {
    MutexLock lock(state_->mu);
    if (--state_->pending == 0) state_->ended.NotifyAll();
  }
  Pending(const Pending&) = delete;
  Pending& operator=(const Pending&) = delete;

 private:
  const std::shared_ptr<State> state_;
};

TaskGroup::TaskGroup(Executor& executor) : executor_(executor), state_(std::make_shared<State>()) {}

TaskGroup::~TaskGroup() {
  MutexLock lock(state_->mu);
  while (state_->pending > 0) state_->ended.Wait(state_->mu);
}

void TaskGroup::Schedule(std::function<void()> fn) {
  // The function is destroyed before the mark that it is pending: what it captured may use the
  // group's owner until then.
  struct Task {
    std::shared_ptr<const Pending> pending;
    std::function<void()> fn;
    void operator()() const { fn(); }
  };
  executor_.Schedule(Task{std::make_shared<const Pending>(state_), std::move(fn)});
}

}  // namespace stagedoor

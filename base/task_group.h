#ifndef STAGEDOOR_BASE_TASK_GROUP_H_
#define STAGEDOOR_BASE_TASK_GROUP_H_

#include <functional>
#include <memory>

#include "base/executor.h"

namespace stagedoor {

// Functions scheduled on an executor for an object that they use: a member of it, declared after
// what they use. Destroying the group waits until each has run, or was dropped with its executor,
// and what it captured is destroyed. Thread-safe except for its destruction, which must not happen
// in one of its functions.
class TaskGroup {
 public:
  // The executor must exist whenever Schedule is called.
  explicit TaskGroup(Executor& executor);
  ~TaskGroup();
  TaskGroup(const TaskGroup&) = delete;
  TaskGroup& operator=(const TaskGroup&) = delete;

  // As Executor::Schedule.
  void Schedule(std::function<void()> fn);

 private:
  struct State;
  class Pending;

  Executor& executor_;
  const std::shared_ptr<State> state_;
};

}  // namespace stagedoor

#endif  // STAGEDOOR_BASE_TASK_GROUP_H_

#ifndef STAGEDOOR_BASE_WORK_SCOPE_H_
#define STAGEDOOR_BASE_WORK_SCOPE_H_

#include <memory>
#include <utility>

namespace stagedoor {

// The scope that the calling thread works for: an owner of objects made along the way, where
// passing it through every function would be cumbersome (see PathScope). Comparable to
// folly::RequestContext. Threads that help in a ParallelFor work for the same scope as its caller.
class WorkScope : public std::enable_shared_from_this<WorkScope> {
 public:
  virtual ~WorkScope() = default;
  WorkScope(const WorkScope&) = delete;
  WorkScope& operator=(const WorkScope&) = delete;

  // Null if the thread works for nothing in particular.
  static WorkScope* current() { return current_; }

  // Makes the thread work for `scope`, which may be null and must outlive the object.
  class Guard {
   public:
    explicit Guard(WorkScope* scope) : before_(std::exchange(current_, scope)) {}
    ~Guard() { current_ = before_; }
    Guard(const Guard&) = delete;
    Guard& operator=(const Guard&) = delete;

   private:
    WorkScope* const before_;
  };

  // One of several steps of the same work, possibly on different threads. One of them determines
  // what the thread works for (Adopt); `scope` remembers it for the following ones.
  class StepGuard {
   public:
    explicit StepGuard(std::shared_ptr<WorkScope>& scope)
        : guard_(scope.get()), before_(std::exchange(step_, &scope)) {}
    ~StepGuard() { step_ = before_; }
    StepGuard(const StepGuard&) = delete;
    StepGuard& operator=(const StepGuard&) = delete;

   private:
    const Guard guard_;
    std::shared_ptr<WorkScope>* const before_;
  };
  // From now on this step and the following ones work for `scope`. No effect outside of steps.
  static void Adopt(const std::shared_ptr<WorkScope>& scope) {
    if (step_ == nullptr) return;
    current_ = scope.get();
    *step_ = scope;
  }

 protected:
  WorkScope() = default;

 private:
  static inline constinit thread_local WorkScope* current_ = nullptr;
  static inline constinit thread_local std::shared_ptr<WorkScope>* step_ = nullptr;
};

}  // namespace stagedoor

#endif  // STAGEDOOR_BASE_WORK_SCOPE_H_
